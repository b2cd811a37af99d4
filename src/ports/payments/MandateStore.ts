import { Context, type Effect } from "effect"
import type { MandateId } from "../../domain/kernel/Ids.ts"
import type { Mandate } from "../../domain/payments/Mandate.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/** Keeps mandates. A use case locks the subscription before it changes one. */
export class MandateStore extends Context.Service<
  MandateStore,
  RecordStore<Mandate, MandateId> & {
    /**
     * The mandates of all organisations that have this reference at an account at this processor, in no order. It MUST find
     * those that are revoked, too.
     */
    ofReference(processor: string, reference: string): Effect.Effect<ReadonlyArray<Mandate>>
  }
>()("almoner/ports/MandateStore") {}
