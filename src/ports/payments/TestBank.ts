import type { DateTime, Effect, Option } from "effect"
import { Context } from "effect"
import type { ChargeId, IntegrationId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { TestAccount, TestCharge } from "../../domain/payments/TestCharge.ts"
import type { RecordReader, RecordStore } from "../kernel/RecordStore.ts"

/**
 * Keeps what the simulated bank of the test processor has.
 *
 * @example
 * ```ts
 * const adapters = { TestBank: Layer.succeed(TestBank, mine) }
 * const almoner = await Almoner.open({ backend: memory(), adapters })
 * ```
 */
export class TestBank extends Context.Service<
  TestBank,
  RecordReader<TestCharge, string> &
    Pick<RecordStore<TestCharge, string>, "findForUpdate" | "update"> & {
      /** The time by the store's clock, by which the bank does what it has scheduled. */
      readonly now: Effect.Effect<DateTime.Utc>
      /**
       * Keeps a charge, or answers the one that was made under its key after `since`; an older one's key is forgotten. MUST
       * answer one and the same charge to requests at the same moment.
       */
      findOrInsert(charge: TestCharge, since: DateTime.Utc): Effect.Effect<TestCharge>
      /** All that were made for a charge of ours, oldest first. */
      ofCharge(organisation_id: OrganisationId, charge_id: ChargeId): Effect.Effect<ReadonlyArray<TestCharge>>
      /** How an account is set; none where it never was. */
      account(organisation_id: OrganisationId, integration_id: IntegrationId): Effect.Effect<Option.Option<TestAccount>>
      /** Keeps this setting of the account instead of the one before. */
      setAccount(account: TestAccount): Effect.Effect<void>
    }
>()("almoner/ports/TestBank") {}
