import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import type { ChargeId, CreditId, IntegrationId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { Credit } from "../../domain/payments/Credit.ts"
import type { ImportedStatement } from "../../domain/payments/ImportedStatement.ts"
import type { RecordReader, RecordStore } from "../kernel/RecordStore.ts"

/** The lines of a bank account that are asked for: of days, the first and the last included, and of ids. */
export interface CreditDays {
  readonly account: string
  readonly integration_id: IntegrationId
  readonly first: CalendarDate
  readonly last: CalendarDate
  readonly bank_ids: ReadonlyArray<string>
}

/** Keeps the lines of bank statements. */
export class CreditStore extends Context.Service<
  CreditStore,
  RecordReader<Credit, CreditId> &
    Pick<RecordStore<Credit, CreditId>, "findForUpdate" | "update"> & {
      /**
       * Keeps those of one organisation's lines that are not kept yet, and answers their ids. MUST keep a line once for its
       * account and once for its integration, by digest and number, also where others bring it at the same moment: it waits
       * for them.
       */
      add(organisation_id: OrganisationId, credits: ReadonlyArray<Credit>): Effect.Effect<ReadonlySet<CreditId>>
      /**
       * MUST answer the lines of the account or the integration, by days and by ids of the bank's: those, too, that were voided,
       * in the order of their days and ids.
       */
      ofDays(organisation_id: OrganisationId, asked: CreditDays): Effect.Effect<ReadonlyArray<Credit>>
      /** MUST answer the lines that came with a file, in no order. */
      ofImport(organisation_id: OrganisationId, import_id: string): Effect.Effect<ReadonlyArray<Credit>>
      /** Keeps a statement; one of the same import gives way, of which the organisation has one. */
      keepStatement(statement: ImportedStatement): Effect.Effect<void>
      findStatement(organisation_id: OrganisationId, import_id: string): Effect.Effect<Option.Option<ImportedStatement>>
      dropStatement(organisation_id: OrganisationId, import_id: string): Effect.Effect<void>
      /** MUST answer the statements of the account or the integration that end on a day or later, the last ones first. */
      statementsSince(
        organisation_id: OrganisationId,
        asked: Pick<CreditDays, "account" | "integration_id"> & { readonly day: CalendarDate }
      ): Effect.Effect<ReadonlyArray<ImportedStatement>>
      /** All credits that pay a charge, in no order. */
      ofCharge(organisation_id: OrganisationId, charge_id: ChargeId): Effect.Effect<ReadonlyArray<Credit>>
    }
>()("almoner/ports/CreditStore") {}
