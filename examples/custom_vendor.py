"""A vendor of your own: OpenAI's protocol, with a few differences that are data."""

from dragoman import ChatRequest, Facts, Msg, Options, Vendor, wire
from dragoman.protocols.openai_chat import Dialect

TAKES = {"image": False, "options": {"seed": "refuses"}}
DIALECT = Dialect(model="acme-1", max_tokens_key="max_tokens", thinking_fields=("reasoning",))

ACME = Vendor(
    "acme",
    base_url="https://api.acme.example/v1",
    key="ACME_API_KEY",
    wires={"openai-chat": DIALECT},
    facts={"openai-chat": Facts(always=TAKES, since="2026-11-01", source="Acme API docs")},
)

if __name__ == "__main__":
    acme = wire(ACME, policy="ignore")
    asked = ChatRequest([Msg.user("Where is Paris?")], options=Options(max_tokens=9, seed=7))
    out = acme.write_request(asked)
    print(ACME.url() + out.path, out.body)
    print([f"{loss.code} {loss.where}" for loss in out.losses])
    said = {"role": "assistant", "content": "In France.", "reasoning": "They mean the city."}
    resp = acme.read_response({"choices": [{"message": said, "finish_reason": "stop"}]})
    print([block.type for block in resp.msg.blocks], resp.text)
