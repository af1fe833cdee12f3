#!/usr/bin/env bash
# transformers 5.24.0 with torch 2.13.0 (PyPI, 2026-11-28), CPython 3.11, on a processor.
#
# `transformers serve` speaks Chat Completions, but its streams end without the line `data: [DONE]`
# that OpenAI's documentation promises and most clients wait for: the last chunk has a finish_reason
# and the usage (also when nobody asked for it with `stream_options`). And a prompt that is four
# times longer than the model's context is no error: it is answered with status 200.
#
# Output seen:
#   stream: 0 lines [DONE], last chunk: finish_reason length, usage 3
#   prompt of 2401 tokens, context of 512: status 200, finish_reason length
set -euo pipefail
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'transformers[serving]==5.24.0'
cat > "$folder/model.py" <<'PYTHON'
import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
alphabet = pre_tokenizers.ByteLevel.alphabet()
tokenizer.train_from_iterator(["hi there"], trainers.BpeTrainer(
    vocab_size=400, special_tokens=["<|end|>"], initial_alphabet=alphabet, show_progress=False))
fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|end|>", pad_token="<|end|>")
fast.chat_template = "{% for message in messages %}{{ message['content'] }}<|end|>{% endfor %}"
fast.save_pretrained(sys.argv[1])
torch.manual_seed(7)
LlamaForCausalLM(LlamaConfig(
    vocab_size=len(fast), hidden_size=64, intermediate_size=128, num_hidden_layers=2,
    num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=512,
    eos_token_id=0, pad_token_id=0, bos_token_id=None)).save_pretrained(sys.argv[1])
PYTHON
"$folder/venv/bin/python" "$folder/model.py" "$folder/small" > /dev/null 2>&1
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
(cd "$folder" && exec env HF_HUB_OFFLINE=1 venv/bin/transformers serve small --port "$port") > /dev/null 2>&1 &
server=$!
for _ in $(seq 300); do
  curl --silent --fail --max-time 5 --output /dev/null "http://127.0.0.1:$port/v1/models" && break
  sleep 1
done
cat > "$folder/try.py" <<'PYTHON'
import json, sys, urllib.request

url = f"http://127.0.0.1:{sys.argv[1]}/v1/chat/completions"


def ask(text, **more):
    body = {"model": "small", "messages": [{"role": "user", "content": text}], "max_tokens": 3, **more}
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return answer.status, answer.read().decode("utf-8", "replace")


_, text = ask("hi", stream=True)
lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
done = lines.count("[DONE]")
last = json.loads([line for line in lines if line != "[DONE]"][-1])
print(f"stream: {done} lines [DONE], last chunk: finish_reason {last['choices'][0]['finish_reason']},",
      f"usage {last['usage']['completion_tokens']}")
status, text = ask("hi there " * 800)
whole = json.loads(text)
tokens = whole["usage"]["prompt_tokens"]
print(f"prompt of {tokens} tokens, context of 512: status {status},",
      f"finish_reason {whole['choices'][0]['finish_reason']}")
sys.exit(0 if done == 0 and tokens > 512 and status == 200 else 1)
PYTHON
python3 "$folder/try.py" "$port"
