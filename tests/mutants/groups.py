"""What is mutated, and which tests judge it: those that mirror the modules, without the slow ones.

A mutant that lives costs every test that touches it, so what takes long is left out where others
say the same: laws on made-up histories, work that is measured, processes that are started.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["GROUPS", "Group"]


@dataclass(frozen=True)
class Group:
    """What is mutated and judged together.

    `modules` are patterns below src/dragoman, and `but` those of them that are left out; `tests`
    and what is left out of these stand below tests.
    """

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    without: tuple[str, ...] = ()
    but: tuple[str, ...] = ()


GROUPS = {
    "message": Group(
        ("message/*",),
        ("message",),
        (
            "message/test_heal.py::test_what_is_whole_stays_the_very_value",
            "message/test_heal.py::test_whatever_was_healed_has_a_utf8_form",
            "message/test_identify.py::test_ids_are_the_same_in_every_process",
        ),
    ),
    "history": Group(
        ("history/*.py", "history/truncate/*"),
        ("history",),
        (
            "history/passes",  # a group of its own
            # whole rooms are loaded for these, anew for each mutant
            "history/test_by_name.py::test_late_results_do_not_split_a_conversation",
            "history/test_by_name.py::test_losses_inside_the_conversation_are_found_there",
            "history/test_by_name.py::test_text_cut_from_a_message_of_calls_stays_beside_it",
            "history/test_later.py::test_thinking_behind_such_a_text_is_known_to_be_unbound",
            "history/test_speakers.py::test_losses_of_a_tagged_block_are_found_at_its_source",
            "history/test_split.py::test_it_reads_what_a_wire_wrote",
            "history/test_words.py",
            # and these look at many histories, or at long ones
            "history/test_lookalikes.py::test_no_line_but_ones_own_begins_with_a_name",
            "history/test_later.py::test_merged_messages_stay_or_a_loss_names_what_they_say",
            "history/test_later.py::test_tagged_messages_stay_or_a_loss_names_them",
            "history/test_later.py::test_who_is_known_beforehand_changes_nothing",
            "history/test_split.py::test_it_gives_back_what_everybody_said",
            "history/test_split.py::test_it_keeps_media_in_their_place",
            "history/test_truncate.py::test_any_counter_comes_to_an_end",
            "history/test_truncate.py::test_beside_the_oracle",
            "history/test_truncate.py::test_few_counts_are_needed",
            "history/test_truncate.py::test_units_hold_every_message_once_and_in_order",
            "history/test_truncate_laws.py",
            "history/test_truncate_onward.py::test_an_agents_loop_is_cut_alike_with_less_work",
            (
                "history/test_truncate_onward.py::"
                "test_any_history_is_cut_as_if_it_were_seen_for_the_first_time"
            ),
            (
                "history/test_truncate_summary.py::"
                "test_only_what_is_new_is_told_and_the_beginning_stands_meanwhile"
            ),
            "history/test_truncate_units.py::test_many_calls_of_one_turn_are_paired_in_good_time",
        ),
        but=("history/truncate/growing.py",),
    ),
    "growing": Group(("history/truncate/growing.py",), ("history/test_truncate_onward.py",)),
    "passes": Group(
        ("history/passes/repair.py", "history/passes/message_order.py",
         "history/passes/late_system.py", "history/passes/lower/*", "history/passes/survey.py"),
        tuple(
            f"history/passes/{name}"
            for name in ("test_repair.py", "test_message_order.py",
                         "test_message_order_losses.py", "test_late_system.py",
                         "test_orphan_results.py", "test_result_names.py", "test_turns.py",
                         "test_survey.py", "test_roled_history.py", "lower")
        ),
        ("history/passes/test_survey.py::test_no_message_mixes_seats_when_it_comes_out",),
    ),
    "anthropic": Group(("protocols/anthropic/*",), ("protocols/anthropic", "golden")),
    "ollama": Group(("protocols/ollama/*",), ("protocols/ollama",)),
}  # fmt: skip
