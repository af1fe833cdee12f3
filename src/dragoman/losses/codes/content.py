"""Codes of what a message holds: blocks, thinking, text, hints and foreign fields."""

from __future__ import annotations

import logging

from .code import added, degraded, dropped, expected, moved, repaired

_SEATS = ("result", "move_media", "user")

ROWS = (
    dropped(
        "block.unsaid",
        "this seat cannot carry a block of this kind",
        fix="Choose a wire or a model that carries it (`dragoman wires --model MODEL` shows them)."
        ' If your host takes it all the same, say so: `can={"video": ("user",)}`.',
        asks=("user", "assistant", "system", "result", "move_media"),
    ),
    dropped(
        "raw.foreign",
        "the block belongs to another protocol",
        fix="Write the request with the wire of the block's `issuer`, or put what it says into a"
        " `TextBlock`.",
        asks=("reads", "assistant"),
    ),
    repaired(
        "raw.unpaired",
        "a provider's own call without its result, or a result without its call, was left out",
        fix="Keep such blocks as they were answered, both of them: nobody but the provider can make"
        " up the other half.",
    ),
    repaired(
        "raw.moved",
        "a provider's own call or result was put before the calls of the client",
        fix="Put what the provider's server called, and what it found, before calls that your"
        " program answers: the wire refuses them behind those.",
        asks=("server_first",),
    ),
    dropped(
        "thinking.unsaid",
        "the wire takes no thinking back",
        fix="Nothing has to be done: the model does not miss it. If your host takes thinking back,"
        ' say so: `can={"thinking": True}`.',
        asks=("thinking",),
        level=logging.INFO,
    ),
    dropped(
        "thinking.unsigned",
        "the wire takes thinking back only with its signature",
        fix="Keep the `ThinkingBlock` as it was answered, `signature` included. Thinking that you"
        " wrote yourself belongs in a `TextBlock`.",
        asks=("signed_thinking",),
    ),
    dropped(
        "thinking.foreign",
        "thinking that another provider signed",
        fix="Nothing has to be done: no other provider can read it. To have the model see the"
        ' words, tell them as text: `can={"foreign_thinking": "quote"}`.',
        asks=("signatures", "reads", "signed_thinking", "foreign_thinking"),
    ),
    dropped(
        "thinking.unbound",
        "what the thinking is bound to has changed",
        fix="Send system prompt, tools and earlier messages as they were when the model thought,"
        ' and append only. `policy="append_only"` refuses the change and says which it is.',
        asks=("binding", "unbound"),
    ),
    dropped(
        "thinking.alone",
        "the wire takes no turn that is thinking alone, or ends in it",
        fix="Let the message hold the text or the calls that followed the thinking, or leave it"
        " out.",
        asks=("thinking_alone", "thinking_last"),
    ),
    moved(
        "thinking.moved",
        "the wire takes thinking only before all else that a turn says",
        fix="Nothing has to be done: the thinking itself is sent.",
        level=logging.DEBUG,
    ),
    degraded(
        "thinking.quoted",
        "thinking is told as text",
        fix='It was asked for; `can={"foreign_thinking": "drop"}` leaves such thinking out.',
        asks=("foreign_thinking",),
    ),
    degraded(
        "refusal.as_text",
        "a refusal is told as text",
        fix="Nothing has to be done: the words stay. Only a wire whose assistant may show a"
        " refusal, such as `openai-chat`, keeps it apart from other text.",
        asks=("assistant", "user"),
    ),
    repaired(
        "text.blank",
        "the wire refuses blank text; the block was left out",
        fix="Leave blank texts out of `content`, or join them with the text beside them.",
        asks=("blank_text", "empty_messages"),
        level=logging.INFO,
    ),
    repaired(
        "text.surrogate",
        "half of a surrogate pair has no UTF-8 form and became U+FFFD",
        fix='Decode what you read with `errors="replace"`, and cut texts between characters.',
    ),
    repaired(
        "text.trailing",
        "white space at the end of the last turn was left out",
        fix="End the text of the last assistant message without white space.",
        asks=("trailing_space",),
    ),
    repaired(
        "message.empty",
        "nothing of the message can be said, so it was left out",
        fix="Leave the message out, or give it content.",
        asks=("empty_messages", "blank_text"),
    ),
    dropped(
        "citations.unsaid",
        "the wire takes no citations back",
        fix="Nothing has to be done unless the model must see its sources: then write them into"
        " the text. The `citations` stay in your message.",
        level=logging.INFO,
    ),
    dropped(
        "cache.unsaid",
        "the wire has no such cache hint",
        fix="Leave `cache` unset for this wire: it caches by itself or not at all. Column `cache`"
        " of `dragoman wires` shows where hints are taken.",
        asks=("cache_hints", "cached_calls"),
        level=logging.DEBUG,
    ),
    degraded(
        "cache.ttl",
        "the hint lasts for another time than was asked for",
        fix="Leave `CacheHint.ttl` unset, or set one of the model's own, in its provider's"
        " spelling.",
        asks=("cache_ttls", "cache_longest_first"),
        level=logging.INFO,
    ),
    dropped(
        "cache.limit",
        "the wire takes fewer cache hints than were set",
        fix="Set fewer hints. The last ones stay, for they stand behind the longest prefix.",
        asks=("cache_hints",),
    ),
    dropped(
        "extras.unsaid",
        "a field of the provider's own has no place where it stands",
        fix="Set it on the block that it belongs to: a message that only calls tools, for one, has"
        " no text to bear its fields.",
        level=logging.INFO,
    ),
    expected(
        "extras.answer",
        "fields that the provider puts into answers and takes in no request",
        fix="Nothing: they stay on the message that was read.",
    ),
    expected(
        "extras.empty",
        "a field of another provider that says nothing: null, or an empty list or object",
        fix="Nothing: an absent field says the same.",
        asks=("reads", "claims"),
    ),
    dropped(
        "extras.foreign",
        "fields of another provider",
        fix="Key `extras` by an issuer that this wire reads, which is the name of its protocol or"
        ' vendor: `extras={"openai-chat": {"store": True}}`.',
        asks=("reads", "claims"),
        level=logging.INFO,
    ),
    dropped(
        "media.not_fetched",
        "the wire needs the bytes and they were not fetched",
        fix="Give the bytes as `Base64Source`, or give the formatter a `fetch` that returns them;"
        " the default one reads files under the current directory and nothing else.",
        asks=("sources", "schemes"),
    ),
    dropped(
        "media.type",
        "the wire does not take this media type",
        fix="Convert the medium to a type that it takes. If your host takes this one, say so:"
        ' `can={"media_types": {"image": ("image/*",)}}`.',
        asks=("media_types",),
    ),
    repaired(
        "media.type_corrected",
        "the bytes are of another media type than was said",
        fix="Give the media type that the bytes have; providers look at them and refuse others.",
    ),
    degraded(
        "media.type_lowered",
        "the wire does not know this type of text document and gets it as plain text",
        fix="Nothing has to be done: the text itself is sent. Its type can be told in `title`.",
        asks=("media_types",),
    ),
    degraded(
        "media.as_text",
        "the wire shows no such document here, and gets its text as text",
        fix="Nothing has to be done: the text itself is sent, behind its title. If your host takes"
        ' such documents, say so: `can={"media_types": {"document": ("text/plain",)}}`.',
        asks=("user", "media_types"),
    ),
    dropped(
        "media.source",
        "the wire does not take media from such a source",
        fix="Give the medium in another form, most widely `Base64Source`; a file id is good only"
        " for the provider that issued it. `dragoman wires` shows what each wire takes.",
        asks=("sources", "file_schemes", "schemes", "reads"),
    ),
    added(
        "media.type_assumed",
        "the wire wants the media type of a URL, which nothing tells: the commonest is said",
        fix="Say it: `URLSource(url, media_type)`.",
    ),
    dropped(
        "media.detail",
        "the wire has no field for this detail of the medium",
        fix="Nothing has to be done: the medium itself is sent. Leave `detail` or `title` unset"
        " where it does not matter.",
        asks=("details", "titles"),
    ),
    added(
        "document.text",
        "a text before documents that stand in a turn without one",
        fix="Say in the message what is to be done with the document. The words are"
        " `Told.document`.",
        asks=("lone_documents",),
    ),
    added(
        "document_name.made",
        "a name for a document that has none",
        fix="Give the document a `title`.",
    ),
    degraded(
        "document_name.mapped",
        "the document's name was respelled as the wire demands",
        fix="Use letters, digits, single spaces, `-`, `(` and `)` in `title`, and each title once.",
    ),
    moved(
        "media.moved",
        "the medium follows in a user turn of its own",
        fix="Nothing is lost. A wire that shows media in tool results, such as `anthropic`, keeps"
        " it there.",
        asks=("result", "assistant", "move_media"),
    ),
    dropped(
        "media.as_reference",
        "a text that names the medium stands in its place",
        fix='Have it follow in a user turn, `can={"move_media": ("image",)}`'
        " (`promote_tool_result_images=True` in the formatters with AgentScope's names), or give a"
        " `media_saver` that puts it where the text says.",
        asks=_SEATS,
    ),
    added(
        "media.unshown",
        "a word stands in a merged history where its medium cannot",
        fix='`ByName(unshown="")` leaves it out; another text replaces it, in any language.',
    ),
    degraded(
        "media.saved",
        "the medium was saved, and a text says where",
        fix="It was asked for by `media_saver`. To show the medium itself:"
        ' `can={"move_media": ("image",)}`.',
        asks=_SEATS,
    ),
)
