import { DateTime, Effect } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import { beginOf, dayAfter } from "../../../domain/payments/Reconciliation.ts"
import { advance } from "../../../domain/payments/TestBank.ts"
import type { TestCharge } from "../../../domain/payments/TestCharge.ts"
import type { ProcessorRefused, ProcessorUnreachable } from "../../../ports/payments/PaymentProcessors.ts"
import type { Movement, ProcessorStatements, StatementPage } from "../../../ports/payments/ProcessorStatements.ts"
import type { TestBank } from "../../../ports/payments/TestBank.ts"

/** Charges on a page of the simulated bank. */
const pageSize = 100

type Ask = <A>(
  integration: Integration,
  request: Effect.Effect<A, ProcessorRefused>
) => Effect.Effect<A, ProcessorRefused | ProcessorUnreachable>

const pageOf = <A>(found: ReadonlyArray<TestCharge>, data: ReadonlyArray<A>): StatementPage<A> => ({
  data,
  next: found.length < pageSize ? null : (found.at(-1)?.id ?? null)
})

const movementsOf = ({ currency, id, movements }: TestCharge): ReadonlyArray<Movement> =>
  movements.map((each) => ({ ...each, charge_reference: id, currency }))

/** The simulated bank's statements: pages are of charges, with whatever each of them moved. */
export const statementsOf = (bank: TestBank["Service"], ask: Ask): ProcessorStatements => ({
  listCreated: (integration, since, page) => {
    const { id, organisation_id } = integration
    return ask(
      integration,
      Effect.map(bank.ofAccount(organisation_id, id, { since }, page, pageSize), (found) =>
        pageOf(
          found,
          found.map(({ charge_id, created_at, id: reference }) => ({ charge_id, created_at, reference }))
        )
      )
    )
  },
  movements: (integration, day, page) => {
    const { id, organisation_id } = integration
    const [begin, end] = [beginOf(day), beginOf(dayAfter(day))]
    return ask(
      integration,
      Effect.gen(function* () {
        const found = yield* bank.ofAccount(organisation_id, id, { before: end, changed: begin }, page, pageSize)
        const now = yield* bank.now
        const moved = found
          .flatMap((charge) => movementsOf(advance(charge, now)))
          .filter(({ at }) => DateTime.isGreaterThanOrEqualTo(at, begin) && DateTime.isLessThan(at, end))
        return pageOf(found, moved)
      })
    )
  }
})
