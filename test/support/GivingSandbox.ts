import { assert } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { type Move, moveTestCharge } from "../../src/app/payments/charge/TestChargeMove.ts"
import { Ledger } from "../../src/app/payments/Ledger.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { Distributor } from "../../src/app/sharing/Distributor.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import type { NewIntegration } from "../../src/domain/access/Integration.ts"
import { ChargeId, type DonationFormId, type IntegrationId } from "../../src/domain/kernel/Ids.ts"
import type { Charge } from "../../src/domain/payments/Charge.ts"
import { standardAccount, type TestAccount, type TestCharge } from "../../src/domain/payments/TestCharge.ts"
import type { Submission, SubmittedCheckout } from "../../src/domain/sharing/Checkout.ts"
import type * as TransferAttempt from "../../src/domain/sharing/TransferAttempt.ts"
import * as Ports from "../../src/ports.ts"
import { queryOf } from "../../src/testing/conformance/Records.ts"
import { fieldsOf } from "./Answer.ts"
import { dueNow } from "./DueTransfer.ts"
import type { FieldsOf } from "./InputForms.ts"
import { numbers } from "./Numbers.ts"
import type { Service } from "./Service.ts"
import { asOperator, eventsOf, makeTenants, type Tenant } from "./Tenant.ts"

export { numbers } from "./Numbers.ts"

let made = 0

/** A page's UUID. */
export const pageId = (): string => {
  made += 1
  return `018f6e7a-0000-7000-8000-${String(made).padStart(12, "0")}`
}

/** A sandbox that takes gifts through a form, and the donors who give there. */
export interface GivingSandbox {
  readonly tenant: Tenant
  readonly integration_id: IntegrationId
  readonly form: { readonly id: DonationFormId; readonly slug: string; readonly embed_token: string }
  /** A submission that the form takes. */
  readonly submission: (given?: FieldsOf<Submission>) => Submission
  readonly submit: (given?: FieldsOf<Submission>) => Promise<SubmittedCheckout>
  /** How a submission ends: its status, or what refuses it, such as `InvalidInput currency`, which makes no charge. */
  readonly attempt: (given?: FieldsOf<Submission>) => Promise<string>
  readonly chargeOf: (submitted: SubmittedCheckout) => Promise<Charge>
  readonly charges: () => Promise<ReadonlyArray<Charge>>
  readonly giftOf: (submitted: SubmittedCheckout) => ReturnType<typeof giftIn>
  /** The types of the gift's events, and of its donor's making, in order. */
  readonly eventsOf: (submitted: SubmittedCheckout) => Promise<ReadonlyArray<string>>
  /** What somebody does to the charge at the simulated bank. */
  readonly move: (submitted: SubmittedCheckout, how: Move) => Promise<void>
  /** What the simulated bank has of a charge. */
  readonly bank: (submitted: SubmittedCheckout) => Promise<TestCharge>
  readonly setBank: (submitted: SubmittedCheckout, given: Partial<TestCharge>) => Promise<void>
  /** Has the account at the simulated bank be as it is at first, but for this. */
  readonly setAccount: (given: Partial<TestAccount>) => Promise<void>
  /** Has the worker look at every charge of which something is expected. */
  readonly settle: () => Promise<void>
  /** Has the worker take up every transfer, whenever it was to be. */
  readonly distribute: () => Promise<void>
  readonly attempts: () => Promise<ReadonlyArray<TransferAttempt.TransferAttempt>>
  readonly refundsOf: (submitted: SubmittedCheckout) => ReturnType<typeof refundsIn>
  readonly exceptionsOf: (submitted: SubmittedCheckout) => ReturnType<typeof exceptionsIn>
  /** Asserts that the books of all organisations add up. */
  readonly balanced: () => Promise<void>
}

const giftIn = (service: Service, { organisation }: Tenant, { donation_id }: SubmittedCheckout) =>
  service.run(
    Ports.DonationStore.use((store) =>
      Effect.map(
        donation_id === null ? Effect.succeedNone : store.find(organisation.id, donation_id),
        Option.getOrThrow
      )
    )
  )

const refundsIn = (service: Service, { organisation }: Tenant, { donation_id }: SubmittedCheckout) =>
  service.run(
    Ports.RefundStore.use((store) =>
      donation_id === null ? Effect.succeed([]) : store.ofDonation(organisation.id, donation_id)
    )
  )

const exceptionsIn = (service: Service, { organisation }: Tenant, charge: Charge) =>
  service.run(Ports.PaymentExceptionStore.use((store) => store.ofCharge(organisation.id, charge.id)))

const attemptsIn = async (service: Service, { organisation }: Tenant) => {
  const { data } = await service.run(Ports.TransferAttemptStore.use((store) => store.list(organisation.id, queryOf())))
  return data.toReversed()
}

/** Has so many cards declined that no more are taken. */
export const closeCards = async ({ submit }: Pick<GivingSandbox, "submit">) => {
  const outcomes: Array<string> = []
  while (outcomes.at(-1) !== "refused") {
    const submitted = submit({ payment_token: numbers.declined })
    outcomes.push(await submitted.then(({ status }) => status).catch(() => "refused"))
  }
  assert.isAbove(outcomes.length, 1)
}

/** Makes a sandbox that takes gifts. */
export const makeGivingSandbox = async (
  service: Service,
  form: object = {},
  account: FieldsOf<NewIntegration> = {}
): Promise<GivingSandbox> => {
  const { sandbox: tenant } = await makeTenants(service)
  const { organisation } = tenant
  const integration = await service.run(
    Integrations.use((use) =>
      use.create({ label: "Main", processor_connect_account_id: "acct_1", ...account } as NewIntegration)
    ).pipe(asOperator(organisation))
  )
  const answer = await tenant.writer.post("/forms", {
    name: "Winter appeal",
    status: "ACTIVE",
    revenue_code: "WINTER",
    ...form
  })
  assert.strictEqual(answer.status, 201, answer.text)
  const submission = (given: FieldsOf<Submission> = {}) =>
    ({
      organisation: organisation.slug,
      slug: answer.textAt("slug"),
      submission_id: pageId(),
      amount_cents: 5_000,
      currency: "AUD",
      method: "card",
      donor: { email: "ada@example.org", first_name: "Ada", last_name: "Lovelace" },
      payment_token: numbers.succeeds,
      request_id: "req_page",
      ...given
    }) as Submission
  const charges = async () => {
    const { data } = await service.run(Ports.ChargeStore.use((store) => store.list(organisation.id, queryOf())))
    return data
  }
  const chargeOf = async ({ donation_id, recommendation_set_payment_id }: SubmittedCheckout) => {
    const paid = donation_id ?? recommendation_set_payment_id
    const [only, ...rest] = (await charges()).filter(({ subject_id }) => subject_id === paid)
    assert.lengthOf(rest, 0)
    return only ?? assert.fail("the gift has no charge")
  }
  const inBank = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Ports.Transaction, ({ run }) => run(effect))
  const bank = async (submitted: SubmittedCheckout) => {
    const charge = await chargeOf(submitted)
    const [found] = await service.run(Ports.TestBank.use((store) => store.ofCharge(organisation.id, charge.id)))
    return found ?? assert.fail("the bank has no such charge")
  }
  return {
    tenant,
    integration_id: integration.id,
    form: {
      id: answer.textAt("id") as DonationFormId,
      slug: answer.textAt("slug"),
      embed_token: answer.textAt("embed_token")
    },
    submission,
    submit: (given) => service.run(Checkouts.use((checkouts) => checkouts.submit(submission(given)))),
    attempt: async (given) => {
      const submitted = submission(given)
      const result = await service.run(Effect.result(Checkouts.use((checkouts) => checkouts.submit(submitted))))
      if (Result.isSuccess(result)) return result.success.status
      const { failure } = result
      assert.match(failure.message, /^[A-Za-z].*\.$/su)
      assert.notInclude(fieldsOf(await charges(), "submission_id"), submitted.submission_id)
      return "param" in failure ? `${failure._tag} ${failure.param}` : failure._tag
    },
    chargeOf,
    charges,
    giftOf: (submitted) => giftIn(service, tenant, submitted),
    eventsOf: async (submitted) => {
      const { donor_id } = await giftIn(service, tenant, submitted)
      return (await eventsOf(tenant))
        .filter(({ data }) => data["id"] === submitted.donation_id || data["id"] === donor_id)
        .map(({ type }) => type)
    },
    move: async (submitted, how) => {
      const charge = await chargeOf(submitted)
      await service.run(inBank(moveTestCharge(organisation.id, ChargeId.make(charge.id), how)))
    },
    bank,
    setBank: async (submitted, given) => {
      const found = await bank(submitted)
      await service.run(Ports.TestBank.use((store) => store.update({ ...found, ...given })))
    },
    setAccount: (given) =>
      service.run(
        Ports.TestBank.use((store) =>
          store.setAccount({ ...standardAccount(organisation.id, integration.id), ...given })
        )
      ),
    settle: async () => {
      for (const { id, look_at } of await charges()) {
        if (look_at !== null) await service.run(Ports.ChargeStore.use((store) => store.lookNow(organisation.id, id)))
      }
      await service.run(Settler.use(({ settleDue }) => settleDue))
    },
    distribute: async () => {
      for (const { id } of await attemptsIn(service, tenant)) await service.run(dueNow(organisation.id, id))
      await service.run(Distributor.use(({ distributeDue }) => distributeDue))
    },
    attempts: () => attemptsIn(service, tenant),
    refundsOf: (submitted) => refundsIn(service, tenant, submitted),
    exceptionsOf: async (submitted) => exceptionsIn(service, tenant, await chargeOf(submitted)),
    balanced: async () => {
      const { data } = await service.run(Ledger.use(({ check }) => check))
      for (const { faults } of data) assert.deepStrictEqual(faults, [])
    }
  }
}

/** A sandbox that a giving one has linked as a recipient. */
export const linkedRecipient = async (
  service: Service,
  { tenant }: GivingSandbox,
  account: FieldsOf<NewIntegration> = {}
) => {
  const { sandbox } = await makeTenants(service, { name: "Food Bank" })
  const { id: integration_id, passphrase } = await sandbox.staff(
    Integrations.use((all) =>
      all.create({ label: "Main", processor_connect_account_id: "acct_9", ...account } as NewIntegration)
    )
  )
  const linked = await tenant.writer.post("/recipient-accounts", { passphrase })
  assert.strictEqual(linked.status, 201, linked.text)
  return { tenant: sandbox, organisation: sandbox.organisation, integration_id, link: linked.textAt("id") }
}
