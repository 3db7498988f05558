"""Fields of requests that go on to a model's server, by format. All others stay here.

A server behind the proxy may be a gateway or litellm, whose requests name another address, another key, headers or
callbacks (``api_base``, ``base_url``, ``api_key``, ``extra_headers`` …): what no format has is never passed on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.domain.word_lists import word_set
from service.proxy.formats import CHAT_COMPLETIONS, MESSAGES, RESPONSES
from service.proxy.wire_format import WireFormat

TRANSLATED: Final[Mapping[WireFormat, frozenset[str]]] = {
    CHAT_COMPLETIONS: word_set("""
        audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages
        metadata modalities model n parallel_tool_calls prediction presence_penalty prompt_cache_key reasoning_effort
        response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice
        tools top_logprobs top_p user verbosity web_search_options"""),
    RESPONSES: word_set("""
        include input instructions max_output_tokens max_tool_calls metadata model parallel_tool_calls prompt_cache_key
        reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools
        top_logprobs top_p truncation user verbosity"""),
    MESSAGES: word_set("""
        max_tokens messages metadata model output_config output_format stop_sequences stream system temperature
        thinking tool_choice tools top_k top_p"""),
}
"""What litellm translates. Its own arguments include keys and URLs."""
LEFT_OUT: Final = word_set("cache_control context_management inference_geo service_tier speed")
"""Fields of Anthropic's API that change no answer: another provider does without them."""
_SAMPLING: Final = word_set("""
    add_generation_prompt bad_words best_of cache_prompt chat_template_kwargs continue_final_message documents
    dry_allowed_length dry_base dry_multiplier echo enable_thinking grammar guided_choice guided_decoding_backend
    guided_grammar guided_json guided_regex ignore_eos include_reasoning include_stop_str_in_output json_schema
    keep_alive length_penalty min_p min_tokens mirostat mirostat_eta mirostat_tau num_ctx options plugins priority
    prompt_logprobs prompt_mode provider random_seed reasoning repeat_penalty repetition_penalty return_token_ids
    safe_prompt search_parameters skip_special_tokens spaces_between_special_tokens stop_token_ids structured_outputs
    suffix tfs_z think thinking thinking_budget top_a top_k transforms truncate_prompt_tokens ttl typical_p usage
    use_beam_search xtc_probability xtc_threshold""")
"""What servers of OpenAI's protocol (vLLM, llama.cpp, Ollama, LM Studio, OpenRouter, Mistral, xAI) take besides."""
PASSED_ON: Final[Mapping[WireFormat, frozenset[str]]] = {
    CHAT_COMPLETIONS: TRANSLATED[CHAT_COMPLETIONS] | _SAMPLING | {"prompt_cache_retention"},
    RESPONSES: TRANSLATED[RESPONSES]
    | _SAMPLING
    | word_set("background context_management conversation previous_response_id prompt prompt_cache_retention"),
    MESSAGES: TRANSLATED[MESSAGES] | LEFT_OUT | word_set("container mcp_servers"),
}
"""What goes to a server that speaks the format itself, or is refused by name."""
