import { Context, type Effect } from "effect"
import type { ConsentPrompt } from "../../domain/giving/ConsentPrompt.ts"
import type { ConsentPromptId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/** Keeps what organisations ask donors. */
export class ConsentPromptStore extends Context.Service<
  ConsentPromptStore,
  RecordStore<ConsentPrompt, ConsentPromptId> & {
    /** MUST answer the prompts that are not archived, in the order of `ConsentPrompt.inOrder`. */
    asked(organisation_id: OrganisationId): Effect.Effect<ReadonlyArray<ConsentPrompt>>
  }
>()("almoner/ports/ConsentPromptStore") {}
