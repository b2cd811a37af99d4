import { assert } from "@effect/vitest"
import { Duration, Effect, Result } from "effect"
import { Credits } from "../../src/app/payments/Credits.ts"
import { Ledger } from "../../src/app/payments/Ledger.ts"
import { PaymentExceptions } from "../../src/app/payments/PaymentExceptions.ts"
import { Settler } from "../../src/app/payments/Settler.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import type { NewIntegration } from "../../src/domain/access/Integration.ts"
import type { TypedDonor } from "../../src/domain/giving/CheckoutDonor.ts"
import { CreditId, type DonationFormId } from "../../src/domain/kernel/Ids.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import type { NewCredit } from "../../src/domain/payments/Credit.ts"
import type { CreditImport } from "../../src/domain/payments/CreditImport.ts"
import type { ManyResolutions, Resolution } from "../../src/domain/payments/ExceptionResolution.ts"
import * as PaymentException from "../../src/domain/payments/PaymentException.ts"
import type { SubmittedCheckout } from "../../src/domain/sharing/Checkout.ts"
import { ChargeStore, CreditStore, type CurrentCaller, PaymentExceptionStore } from "../../src/ports.ts"
import { queryOf } from "../../src/testing/conformance/Records.ts"
import { pageId } from "./GivingSandbox.ts"
import type { FieldsOf } from "./InputForms.ts"
import type { Parts, Service } from "./Service.ts"
import { eventsOf, makeTenants } from "./Tenant.ts"

/** A bank statement of these lines. */
export const file = (...lines: ReadonlyArray<string>): string => ["Date,Amount,Description", ...lines, ""].join("\n")

/** The refusal that something is expected to end with. */
export const failureOf = <A, E extends { readonly message: string }>(result: Result.Result<A, E>): E =>
  Result.isFailure(result) ? result.failure : assert.fail("it was not refused")

const account = { account_name: "Harbour Trust", bsb: "062 000", account_number: "1234-5678" }

/** What a donor is told to transfer. */
export const instructionsOf = ({ next_step }: SubmittedCheckout) =>
  next_step?._tag === "BankTransfer" ? next_step : assert.fail("no instructions")

const all = Effect.orDie(Effect.fromResult(parse(PaymentException.listing, [["limit", "100"]])))

/** A live organisation whose form takes bank transfers. */
export const makeTransfers = async (service: Service, given: FieldsOf<NewIntegration> = {}) => {
  const { live: tenant } = await makeTenants(service)
  const { organisation } = tenant
  const asked = <A, E>(effect: Effect.Effect<A, E, Parts | CurrentCaller>) => tenant.staff(Effect.result(effect))
  const make = (more: FieldsOf<NewIntegration> = {}) =>
    tenant.staff(
      Integrations.use((use) =>
        use.create({
          label: "Bank",
          processor: "bank",
          processor_connect_account_id: "main",
          bank_account: account,
          ...given,
          ...more
        } as NewIntegration)
      )
    )
  const integration = await make()
  const answer = await tenant.writer.post("/forms", { name: "Appeal", status: "ACTIVE" })
  const slug = answer.textAt("slug")
  const ada = { email: "ada@example.org", first_name: "Ada" }
  const submit = (amount_cents = 5_000, donor: TypedDonor = ada): Promise<SubmittedCheckout> =>
    service.run(
      Checkouts.use((use) =>
        use.submit({
          organisation: organisation.slug,
          slug,
          submission_id: pageId(),
          amount_cents,
          currency: "AUD",
          method: "bank_transfer",
          donor,
          request_id: "req_page"
        })
      )
    )
  const charges = async () =>
    (await service.run(ChargeStore.use((store) => store.list(organisation.id, queryOf())))).data
  const credits = async () =>
    (await service.run(CreditStore.use((store) => store.list(organisation.id, queryOf())))).data
  const exceptions = async () =>
    (
      await service.run(
        PaymentExceptionStore.use((store) => Effect.flatMap(all, (query) => store.list(organisation.id, query)))
      )
    ).data.toReversed()
  const resolve = (id: PaymentException.PaymentException["id"], input: Resolution) =>
    asked(PaymentExceptions.use((use) => use.resolve(id, input)))
  return {
    tenant,
    integration,
    form: answer.textAt("id") as DonationFormId,
    make,
    submit,
    charges,
    credits,
    exceptions,
    asked,
    record: (input: Omit<NewCredit, "integration_id">, at = integration.id) =>
      asked(Credits.use((use) => use.record({ integration_id: at, ...input }))),
    import: (content: string, more: Partial<CreditImport> = {}) =>
      asked(Credits.use((use) => use.import({ integration_id: integration.id, content, ...more }))),
    void: (id: string) => asked(Credits.use((use) => use.void(CreditId.make(id), { note: "The bank took it back" }))),
    undo: (import_id: string, is_dry_run = false) =>
      asked(Credits.use((use) => use.undo({ import_id, note: "Another account's", is_dry_run }))),
    resolve,
    open: async () => (await exceptions()).filter(({ status }) => status === "OPEN"),
    chargeOf: async (gift: SubmittedCheckout) =>
      (await charges()).find(({ reference }) => reference === instructionsOf(gift).reference)?.id ??
      assert.fail("none"),
    /** Decides that the money of an exception is for gifts. */
    assign: (exception: PaymentException.PaymentException | undefined, input: FieldsOf<Resolution>) =>
      resolve(exception?.id ?? assert.fail("nothing was raised"), { note: "They called", ...input } as Resolution),
    resolveAll: (input: ManyResolutions) => asked(PaymentExceptions.use((use) => use.resolveAll(input))),
    /** Has the worker look at everything that is due, and at what waits. */
    settle: async () => {
      for (const { id, look_at } of await charges()) {
        if (look_at !== null) await service.run(ChargeStore.use((store) => store.lookNow(organisation.id, id)))
      }
      await service.run(Settler.use(({ settleDue }) => settleDue))
    },
    pass: (days: number) => service.clock.advance(Duration.toMillis(Duration.days(days))),
    giftOf: async ({ donation_id }: SubmittedCheckout) => (await tenant.reader.get(`/donations/${donation_id}`)).at(""),
    eventsOf: async ({ donation_id }: SubmittedCheckout) => {
      const events = (await eventsOf(tenant)).filter(({ data }) => data["id"] === donation_id)
      return events.map(({ data, type }) => (data["failure_code"] == null ? type : `${type} ${data["failure_code"]}`))
    },
    balances: async () => {
      const { data } = await service.run(Ledger.use(({ check }) => check))
      for (const { faults } of data) assert.deepStrictEqual(faults, [])
      const own = data.find(({ organisation_id }) => organisation_id === organisation.id)
      const { bank, donor, held, organisation: kept, unmatched } = own?.balances ?? assert.fail("no books")
      return { bank, donor, held, organisation: kept, unmatched }
    }
  }
}
