"""Codes of media."""

from __future__ import annotations

from .code import Code

__all__ = ["ROWS"]

_SEATS = ("result", "move_media", "user")

ROWS = (
    Code(
        "media.not_fetched",
        "dropped",
        "the wire needs the bytes and they were not fetched",
        fix="Give the bytes as `Base64Source`, or give the formatter a `fetch` that returns them;"
        " the default one reads files under the current directory and nothing else.",
        asks=("sources", "schemes"),
    ),
    Code(
        "media.type",
        "dropped",
        "the wire does not take this media type",
        fix="Convert the medium to a type that it takes. If your host takes this one, say so:"
        ' `can={"media_types": {"image": ("image/*",)}}`.',
        asks=("media_types",),
    ),
    Code(
        "media.type_corrected",
        "repaired",
        "the bytes are of another media type than was said",
        fix="Give the media type that the bytes have; providers look at them and refuse others.",
    ),
    Code(
        "media.type_lowered",
        "degraded",
        "the wire does not know this type of text document and gets it as plain text",
        fix="Nothing has to be done: the text itself is sent. Its type can be told in `title`.",
        asks=("media_types",),
    ),
    Code(
        "media.as_text",
        "degraded",
        "the wire shows no such document here, and gets its text as text",
        fix="Nothing has to be done: the text itself is sent, behind its title. If your host takes"
        ' such documents, say so: `can={"media_types": {"document": ("text/plain",)}}`.',
        asks=("user", "media_types"),
    ),
    Code(
        "media.source",
        "dropped",
        "the wire does not take media from such a source",
        fix="Give the medium in another form, most widely `Base64Source`; a file id is good only"
        " for the provider that issued it. `dragoman wires` shows what each wire takes.",
        asks=("sources", "file_schemes", "schemes", "reads"),
    ),
    Code(
        "media.type_assumed",
        "added",
        "the wire wants the media type of a URL, which nothing tells: the commonest is said",
        fix="Say it: `URLSource(url, media_type)`.",
    ),
    Code(
        "media.detail",
        "dropped",
        "the wire has no field for this detail of the medium",
        fix="Nothing has to be done: the medium itself is sent. Leave `detail` or `title` unset"
        " where it does not matter.",
        asks=("details", "titles"),
    ),
    Code(
        "document.text",
        "added",
        "a text before documents that stand in a turn without one",
        fix="Say in the message what is to be done with the document. The words are"
        " `Told.document`.",
        asks=("lone_documents",),
    ),
    Code(
        "document_name.made",
        "added",
        "a name for a document that has none",
        fix="Give the document a `title`.",
    ),
    Code(
        "document_name.mapped",
        "degraded",
        "the document's name was respelled as the wire demands",
        fix="Use letters, digits, single spaces, `-`, `(` and `)` in `title`, and each title once.",
    ),
    Code(
        "media.moved",
        "moved",
        "the medium follows in a user turn of its own",
        fix="Nothing is lost. A wire that shows media in tool results, such as `anthropic`, keeps"
        " it there.",
        asks=("result", "assistant", "move_media"),
    ),
    Code(
        "media.as_reference",
        "dropped",
        "a text that names the medium stands in its place",
        fix='Have it follow in a user turn, `can={"move_media": ("image",)}`'
        " (`promote_tool_result_images=True` in the formatters with AgentScope's names), or give a"
        " `media_saver` that puts it where the text says.",
        asks=_SEATS,
    ),
    Code(
        "media.unshown",
        "added",
        "a word stands in a merged history where its medium cannot",
        fix='`ByName(unshown="")` leaves it out; another text replaces it, in any language.',
    ),
    Code(
        "media.saved",
        "degraded",
        "the medium was saved, and a text says where",
        fix="It was asked for by `media_saver`. To show the medium itself:"
        ' `can={"move_media": ("image",)}`.',
        asks=_SEATS,
    ),
)
