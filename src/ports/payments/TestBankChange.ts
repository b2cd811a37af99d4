import { Effect, Option } from "effect"
import { standardAccount, type TestAccount, type TestCharge } from "../../domain/payments/TestCharge.ts"
import { accountHappening, type BankEvent, bankEventsBetween, noticeOf } from "../../domain/payments/TestNotice.ts"
import { Tokens } from "../kernel/Tokens.ts"
import { TestBank } from "./TestBank.ts"

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
    /** Writes a charge. `before` is the record as it is kept, before anything that the bank does by itself. */
    charge: Effect.fnUntraced(function* (before: TestCharge, after: TestCharge) {
      const { integration_id, organisation_id } = after
      if (after !== before) yield* bank.update(after)
      const all = bankEventsBetween(before, after)
      if (all.length === 0) return
      const account = yield* bank.account(organisation_id, integration_id)
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
