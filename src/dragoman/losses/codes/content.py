"""Codes of a message's contents: blocks, thinking, text, hints and foreign fields."""

from __future__ import annotations

import logging

from .code import Code, added, degraded, dropped, expected, moved, repaired

_SEATS = ("result", "move_media", "user")

ROWS: dict[str, Code] = {
    "block.unsupported": dropped(
        "a message of this role cannot carry a block of this kind",
        fix="Choose a wire or a model that carries it (`dragoman wires --model MODEL` shows them).",
        asks=("user", "assistant", "system", "result", "move_media"),
    ),
    "raw.other_provider": dropped(
        "the block belongs to another protocol",
        fix="Write the request with the wire of the block's `issuer`, or put its content into a"
        " `TextBlock`.",
        asks=("reads", "assistant"),
    ),
    "summary.sealed": dropped(
        "a sealed summary of earlier turns, which only its provider can open",
        fix="Ask for a summary as text, or send the turns that it summarises: otherwise their"
        " content is lost here.",
        asks=("reads",),
    ),
    "system.billing": expected(
        "a line of the prompt that tells one provider who pays, and means nothing to the model",
        fix="Nothing to do. Such a line may differ in each call, and would invalidate the prompt"
        " cache of every other host.",
        asks=("reads",),
    ),
    "raw.unpaired": repaired(
        "a provider's own call without its result, or a result without its call, was left out",
        fix="Keep such blocks together as the provider returned them: only the provider can"
        " create the missing half.",
        weight="major",
    ),
    "raw.moved": repaired(
        "a provider's own call or result was put before the calls of the client",
        fix="Put the calls and results of the provider's own tools before the calls that your"
        " program answers: the wire refuses them in the other order.",
        asks=("server_first",),
    ),
    "thinking.unsupported": dropped(
        "the wire takes no thinking back",
        fix="Nothing has to be done: the model does not need it. If your host takes thinking"
        ' back, say so: `can={"thinking": True}`.',
        asks=("thinking",),
        level=logging.INFO,
        weight="minor",
    ),
    "thinking.unsigned": dropped(
        "the wire takes thinking back only with its signature",
        fix="Keep the `ThinkingBlock` as it was returned, `signature` included. Thinking that you"
        " wrote yourself belongs in a `TextBlock`.",
        asks=("signed_thinking",),
        weight="minor",
    ),
    "thinking.other_provider": dropped(
        "thinking that another provider signed",
        fix="Nothing has to be done: no other provider can read it. To send the words to the"
        ' model as text: `can={"foreign_thinking": "quote"}`.',
        asks=("signatures", "reads", "signed_thinking", "foreign_thinking"),
        weight="minor",
    ),
    "thinking.unbound": dropped(
        "the signature of the thinking covers earlier content, which has changed",
        fix="Send system prompt, tools and earlier messages as they were when the model thought,"
        ' and only append. `policy="append_only"` refuses the change and names it.',
        asks=("binding", "unbound"),
        weight="minor",
    ),
    "thinking.alone": dropped(
        "the wire takes no turn that consists of thinking or ends in it",
        fix="Let the message hold the text or the calls that followed the thinking, or leave it"
        " out.",
        asks=("thinking_alone", "thinking_last"),
        weight="minor",
    ),
    "thinking.moved": moved(
        "the wire takes thinking only at the beginning of a turn",
        fix="Nothing has to be done: the thinking itself is sent.",
        level=logging.DEBUG,
    ),
    "thinking.quoted": degraded(
        "thinking is sent as text",
        fix='You asked for it; `can={"foreign_thinking": "drop"}` leaves such thinking out.',
        asks=("foreign_thinking",),
    ),
    "refusal.as_text": degraded(
        "a refusal is sent as text",
        fix="Nothing has to be done: the words stay. Only a wire that takes refusals of the"
        " assistant, such as `openai-chat`, keeps it apart from other text.",
        asks=("assistant", "user"),
    ),
    "text.blank": repaired(
        "the wire refuses blank text; the block was left out",
        fix="Leave blank texts out of `content`, or join them with the text beside them.",
        asks=("blank_text", "empty_messages"),
        level=logging.INFO,
    ),
    "text.surrogate": repaired(
        "half of a surrogate pair has no UTF-8 form and became U+FFFD",
        fix='Decode what you read with `errors="replace"`, and cut texts between characters.',
    ),
    "text.trailing": repaired(
        "white space at the end of the last turn was left out",
        fix="End the text of the last assistant message without white space.",
        asks=("trailing_space",),
    ),
    "message.empty": repaired(
        "no part of the message can be sent, so it was left out",
        fix="Leave the message out, or give it content.",
        asks=("empty_messages", "blank_text"),
    ),
    "citations.unsupported": dropped(
        "the wire takes no citations back",
        fix="Nothing has to be done unless the model must see its sources: then write them into"
        " the text. The `citations` stay in your message.",
        level=logging.INFO,
        weight="minor",
    ),
    "cache.unsupported": dropped(
        "the wire has no such cache hint",
        fix="Leave `cache` unset for this wire: it caches by itself or not at all. Column `cache`"
        " of `dragoman wires` shows where hints are taken.",
        asks=("cache_hints", "cached_calls"),
        level=logging.DEBUG,
        weight="minor",
    ),
    "cache.ttl": degraded(
        "the hint lasts for another time than you asked for",
        fix="Leave `CacheHint.ttl` unset, or set one of the model's own, in its provider's"
        " spelling.",
        asks=("cache_ttls", "cache_longest_first"),
        level=logging.INFO,
    ),
    "cache.moved": moved(
        "the cache hint was moved before documents, because none may follow documents here",
        fix="Put the hint on a text after the documents, or give them as PDF.",
        asks=("cached_documents",),
    ),
    "cache.limit": dropped(
        "the wire takes fewer cache hints than were set",
        fix="Set fewer hints. The last ones stay, because they cover the longest prefix.",
        asks=("cache_hints",),
        weight="minor",
    ),
    "extras.unsupported": dropped(
        "a field of the provider's own cannot be sent at this place",
        fix="Set it on the block that it belongs to. A message that only calls tools, for"
        " example, has no text that could carry the field.",
        level=logging.INFO,
        weight="minor",
    ),
    "extras.answer": expected(
        "fields that the provider puts into answers and takes in no request",
        fix="Nothing has to be done: they stay on the message that was read.",
    ),
    "extras.empty": expected(
        "a field of another provider without content: null, empty, or an empty signature",
        fix="Nothing has to be done: leaving the field out means the same.",
        asks=("reads", "claims"),
    ),
    "extras.other_provider": dropped(
        "fields of another provider",
        fix="Use as the key of `extras` an issuer that this wire reads, which is the name of its"
        ' protocol or vendor: `extras={"openai-chat": {"store": True}}`.',
        asks=("reads", "claims"),
        level=logging.INFO,
        weight="minor",
        # what a client stores beside a conversation, and fields of answers that came back in one
        trivial_fields=frozenset(
            {
                "annotations",
                "caller",
                "client_metadata",
                "created_at",
                "id",
                "index",
                "logprobs",
                "object",
                "phase",
                "status",
                "thoughtSignature",  # only its issuer can open it
            }
        ),
    ),
    "media.not_fetched": dropped(
        "the wire needs the bytes and they were not fetched",
        fix="Give the bytes as `Base64Source`, or give the formatter or wire a `fetch` that"
        " returns them: `MediaFetcher` asks the web, the default one reads files under the"
        " current directory and nothing else.",
        asks=("sources", "schemes", "url_types"),
    ),
    "media.type": dropped(
        "the wire does not take this media type",
        fix="Convert the medium to a type that it takes. If your host takes this one, say so:"
        ' `can={"media_types": {"image": ("image/*",)}}`.',
        asks=("media_types",),
    ),
    "media.broken": dropped(
        "the bytes of the medium are no base64, or a text in no UTF-8, and cannot be sent",
        fix="Give the bytes in plain base64 in one line, and texts in UTF-8: a host refuses others"
        " whenever the message is sent again.",
        asks=("sources",),
    ),
    "media.type_corrected": repaired(
        "the bytes are of another media type than declared",
        fix="Give the media type that the bytes have; providers look at them and refuse others.",
    ),
    "media.type_lowered": degraded(
        "the wire does not know this type of text document, so it is sent as plain text",
        fix="Nothing has to be done: the text itself is sent. You can name the type in `title`.",
        asks=("media_types",),
    ),
    "media.as_text": degraded(
        "the wire takes no such document here, so its text is sent as text",
        fix="Nothing has to be done: the text itself is sent, after its title. If your host takes"
        ' such documents, say so: `can={"media_types": {"document": ("text/plain",)}}`.',
        asks=("user", "media_types"),
    ),
    "video.as_images": degraded(
        "the wire takes no video in frames, so they are sent as images",
        fix="Nothing has to be done: the frames are sent in their order. The number of frames in"
        " a second cannot be sent.",
        asks=("user", "sources"),
    ),
    "media.source": dropped(
        "the wire does not take media from such a source",
        fix="Give the medium in another form, most widely `Base64Source`; a file id is good only"
        " for the provider that issued it. `dragoman wires` shows what each wire takes.",
        asks=("sources", "file_schemes", "schemes", "reads"),
    ),
    "media.type_assumed": added(
        "the wire requires the media type of a URL, and none is known: the most common one is sent",
        fix="Give it: `URLSource(url, media_type)`.",
    ),
    "media.type_unsupported": expected(
        "the wire has no field for the media type of a URL; the server of the URL names it",
        fix="Nothing has to be done: the medium is sent. If the server of the URL names another"
        " type, give the bytes.",
        asks=("typed_urls",),
    ),
    "media.detail": dropped(
        "the wire has no field for this detail of the medium",
        fix="Nothing has to be done: the medium itself is sent. Leave `detail`, `title`,"
        " `context` or `cite` unset where it does not matter.",
        asks=("details", "titles", "sources"),
        weight="minor",
    ),
    "document.text": added(
        "a text before the documents of a turn that has no text",
        fix="Write in the message what to do with the document. The words are `Wording.document`.",
        asks=("lone_documents",),
    ),
    "document_name.made": added(
        "a name for a document that has none", fix="Give the document a `title`."
    ),
    "document_name.mapped": degraded(
        "the document's name was respelled as the wire requires",
        fix="Use letters, digits, single spaces, `-`, `(` and `)` in `title`, and each title once.",
        weight="trivial",
    ),
    "media.moved": moved(
        "the medium follows in a user turn of its own",
        fix="Nothing is lost. A wire that shows media in tool results, such as `anthropic`, keeps"
        " it there.",
        asks=("result", "error_kinds", "assistant", "move_media"),
        weight="minor",
    ),
    "media.as_reference": dropped(
        "a text that names the medium was sent instead of it",
        fix='To send it in a user turn: `can={"move_media": ("image",)}`'
        " (`promote_tool_result_images=True` in the formatters with AgentScope's names). Or give"
        " a `media_saver` that puts it where the text says.",
        asks=_SEATS,
    ),
    "media.unshown": added(
        "a word in a merged history in the place of a medium that cannot be there",
        fix='`ByName(unshown="")` leaves it out; another text replaces it, in any language.',
    ),
    "media.saved": degraded(
        "the medium was saved, and a text says where",
        fix='You asked for it with `media_saver`. To send the medium itself: `can={"move_media":'
        ' ("image",)}`.',
        asks=_SEATS,
    ),
}
