import { Context, type DateTime, type Duration, Effect, Option } from "effect"
import type { ChargeId, IntegrationId, OrganisationId } from "../../domain/kernel/Ids.ts"
import { standardAccount, type TestAccount, type TestCharge } from "../../domain/payments/TestCharge.ts"
import {
  accountHappening,
  type BankEvent,
  bankEventsBetween,
  noticeOf,
  type TestNotice
} from "../../domain/payments/TestNotice.ts"
import type { RecordReader, RecordStore } from "../kernel/RecordStore.ts"
import { Tokens } from "../kernel/Tokens.ts"

/** The writer of changes of the simulated bank, with a notice of each, within the transaction around it. */
export const makeTestBankChange = Effect.gen(function* () {
  const bank = yield* TestBank
  const tokens = yield* Tokens

  const tell = Effect.fnUntraced(function* (account: TestAccount, all: ReadonlyArray<BankEvent>) {
    const now = yield* bank.now
    const notices = yield* Effect.forEach(all, (happening) =>
      Effect.map(tokens.id("testNotice"), (id) => noticeOf(account, happening, id, now))
    )
    if (notices.length > 0) yield* bank.addNotices(notices)
  })

  return {
    /**
     * Writes a charge. `before` is the record as it is kept, before anything that the bank does by itself; its account is read
     * where it is not at hand.
     */
    charge: Effect.fnUntraced(function* (before: TestCharge, after: TestCharge, known?: TestAccount) {
      const { integration_id, organisation_id } = after
      if (after !== before) yield* bank.update(after)
      const all = bankEventsBetween(before, after)
      if (all.length === 0) return
      const account = known === undefined ? yield* bank.account(organisation_id, integration_id) : Option.some(known)
      yield* tell(
        Option.getOrElse(account, () => standardAccount(organisation_id, integration_id)),
        all
      )
    }),
    /** Writes how an account is set. */
    account: Effect.fnUntraced(function* (before: TestAccount, after: TestAccount) {
      yield* bank.setAccount(after)
      if (after.charges_enabled !== before.charges_enabled) yield* tell(after, [accountHappening(after)])
    })
  } as const
})

/** Which charges of an account are read. */
export interface TestChargeQuery {
  /** Made at this instant or later. */
  readonly since?: DateTime.Utc
  /** Made before this instant. */
  readonly before?: DateTime.Utc
  /** Changed at this instant or later, or with something that the bank will do by itself. */
  readonly changed?: DateTime.Utc
}

/** Keeps what the simulated bank of the test processor has. */
export class TestBank extends Context.Service<
  TestBank,
  RecordReader<TestCharge, string> &
    Pick<RecordStore<TestCharge, string>, "findForUpdate" | "update"> & {
      /** The time by the store's clock, by which the bank does what it has scheduled. */
      readonly now: Effect.Effect<DateTime.Utc>
      /**
       * Keeps a charge, or answers the one that has its id, or that was made under its key after `since`; an older one's key
       * is forgotten. MUST answer one and the same charge to requests at the same moment.
       */
      findOrInsert(charge: TestCharge, since: DateTime.Utc): Effect.Effect<TestCharge>
      /** All that were made for a charge of ours, oldest first. */
      ofCharge(organisation_id: OrganisationId, charge_id: ChargeId): Effect.Effect<ReadonlyArray<TestCharge>>
      /** Charges of an account in the order of their ids, those after an id, at most `limit`. `after` is null for the first. */
      ofAccount(
        organisation_id: OrganisationId,
        integration_id: IntegrationId,
        when: TestChargeQuery,
        after: string | null,
        limit: number
      ): Effect.Effect<ReadonlyArray<TestCharge>>
      /** How an account is set; none where it never was. */
      account(organisation_id: OrganisationId, integration_id: IntegrationId): Effect.Effect<Option.Option<TestAccount>>
      /** Keeps this setting of the account instead of the one before. */
      setAccount(account: TestAccount): Effect.Effect<void>
      /** Charges with which the bank does something by itself now, of all organisations in turn, at most `limit`. */
      due(
        limit: number,
        only?: OrganisationId
      ): Effect.Effect<ReadonlyArray<Pick<TestCharge, "organisation_id" | "id">>>
      /** Keeps notices. MUST raise the hint that {@link wait} waits for once that committed. */
      addNotices(notices: ReadonlyArray<TestNotice>): Effect.Effect<void>
      /**
       * Hands out notices that are to be sent now, at most `limit`, the organisations in turn. MUST give one to one worker only
       * for as long as `lease`, by moving its `send_at` to the end of it.
       */
      claimNotices(
        limit: number,
        lease: Duration.Duration,
        only?: OrganisationId
      ): Effect.Effect<ReadonlyArray<TestNotice>>
      /** Writes when and how often notices are sent still. */
      setSends(notices: ReadonlyArray<TestNotice>): Effect.Effect<void>
      /** An account's notices after an instant and, of that instant, after an id: the oldest first, at most `limit`. */
      noticesAfter(
        integration: { readonly organisation_id: OrganisationId; readonly id: IntegrationId },
        after: { readonly created_at: DateTime.Utc; readonly id: string },
        limit: number
      ): Effect.Effect<ReadonlyArray<TestNotice>>
      /** Deletes notices that happened before and are sent no more, at most `limit`, and answers how many. */
      trimNotices(before: DateTime.Utc, limit: number): Effect.Effect<number>
      /** How long until the bank does something by itself, or sends a notice; none where nothing is to come. */
      readonly nextDue: Effect.Effect<Option.Option<Duration.Duration>>
      /** As {@link nextDue}, of one organisation, by its clock. */
      nextDueOf(organisation_id: OrganisationId): Effect.Effect<Option.Option<Duration.Duration>>
      /** Waits for a hint that notices may be due. It may be lost: polling is the backstop. */
      readonly wait: Effect.Effect<void>
    }
>()("almoner/ports/TestBank") {}

/** What the simulated bank does by itself, and the notices that it sends. */
export type TestBankActs = Pick<
  TestBank["Service"],
  "due" | "addNotices" | "claimNotices" | "setSends" | "noticesAfter" | "trimNotices" | "nextDue" | "nextDueOf" | "wait"
>
