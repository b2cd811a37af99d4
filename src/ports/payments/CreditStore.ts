import type { Effect } from "effect"
import { Context } from "effect"
import type { ChargeId, CreditId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { Credit } from "../../domain/payments/Credit.ts"
import type { RecordReader, RecordStore } from "../kernel/RecordStore.ts"

/** Keeps the lines of bank statements. */
export class CreditStore extends Context.Service<
  CreditStore,
  RecordReader<Credit, CreditId> &
    Pick<RecordStore<Credit, CreditId>, "update"> & {
      /**
       * Keeps those of one organisation's lines that are not kept yet, and answers their ids. MUST keep a line once for its
       * account and once for its integration, by digest and number, also where others bring it at the same moment: it waits
       * for them.
       */
      add(organisation_id: OrganisationId, credits: ReadonlyArray<Credit>): Effect.Effect<ReadonlySet<CreditId>>
      /** All credits that pay a charge, in no order. */
      ofCharge(organisation_id: OrganisationId, charge_id: ChargeId): Effect.Effect<ReadonlyArray<Credit>>
    }
>()("almoner/ports/CreditStore") {}
