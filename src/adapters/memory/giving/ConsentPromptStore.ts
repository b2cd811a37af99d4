import { Effect, Layer } from "effect"
import { type ConsentPrompt, inOrder } from "../../../domain/giving/ConsentPrompt.ts"
import type { ConsentPromptId } from "../../../domain/kernel/Ids.ts"
import { unarchivedRule } from "../../../domain/kernel/Listing.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { ConsentPromptStore } from "../../../ports/giving/ConsentPromptStore.ts"
import { Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"
import { records } from "../State.ts"

/** Consent prompts in memory. */
export const layer = Layer.effect(
  ConsentPromptStore,
  Effect.map(Memory, (memory) =>
    ConsentPromptStore.of({
      ...makeRecords<ConsentPrompt, ConsentPromptId>(memory, {
        table: (state) => state.consentPrompts,
        with: (state, consentPrompts) => ({ ...state, consentPrompts }),
        columns: (prompt) => prompt,
        archivable: true
      }),
      asked: (organisation_id) =>
        memory.read((state) =>
          Array.from(records(state.consentPrompts, organisation_id))
            .filter((prompt) => Rule.holds(unarchivedRule, prompt))
            .sort(inOrder)
        )
    })
  )
)
