import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { PaymentExceptions } from "../../src/app/payments/PaymentExceptions.ts"
import { TestProcessor } from "../../src/app/payments/TestProcessor.ts"
import { Transfers } from "../../src/app/sharing/Transfers.ts"
import type { NewIntegration } from "../../src/domain/access/Integration.ts"
import type { IntegrationId, PaymentAllocationId, PaymentId } from "../../src/domain/kernel/Ids.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import * as PaymentException from "../../src/domain/payments/PaymentException.ts"
import type { EnteredAmount, Submission, SubmittedCheckout } from "../../src/domain/sharing/Checkout.ts"
import { linkedRecipient, makeGivingSandbox } from "./GivingSandbox.ts"
import type { FieldsOf } from "./InputForms.ts"
import type { Service } from "./Service.ts"
import { asOperator, eventsOf, type Tenant } from "./Tenant.ts"

export type Recipient = Awaited<ReturnType<typeof linkedRecipient>>

interface Share {
  readonly id: PaymentAllocationId
  readonly gross_amount_cents: number
  readonly net_amount_cents: number
  readonly transfer_status: string
  readonly donation_id: string | null
}

interface Shown {
  readonly id: PaymentId
  readonly payment_status: string
  readonly distribution_status: string
  readonly allocations: ReadonlyArray<Share>
}

/** Sets what the simulated bank does with a recipient's account. */
export const setAccountOf = (
  service: Service,
  { integration_id, organisation }: Pick<Recipient, "integration_id" | "organisation">,
  to: object
) =>
  service.run(
    TestProcessor.use((all) => all.setAccount(integration_id as IntegrationId, to)).pipe(asOperator(organisation))
  )

/** The accounts of a sandbox and of its recipients; those of the test processor where nothing is said. */
export interface Accounts {
  readonly own?: FieldsOf<NewIntegration>
  readonly first?: FieldsOf<NewIntegration>
  readonly second?: FieldsOf<NewIntegration>
}

/** A sandbox with two recipients of its payments, and what is seen of them. */
export const makeSharingSandbox = async (service: Service, accounts: Accounts = {}) => {
  const giving = await makeGivingSandbox(service, {}, accounts.own)
  const first = await linkedRecipient(service, giving, accounts.first)
  const second = await linkedRecipient(service, giving, accounts.second)
  const recipients = [first, second]
  const { organisation } = giving.tenant
  let set_id = ""

  const give = async (amounts: ReadonlyArray<number>, more: FieldsOf<Submission> = {}): Promise<SubmittedCheckout> => {
    const made = await giving.tenant.writer.post("/recommendation-sets", {
      name: "Harvest",
      amount_mode: "OPEN",
      allocations: recipients.map(({ link: recipient_org_account_link_id }) => ({
        recipient_org_account_link_id,
        amount_cents: 0
      }))
    })
    assert.strictEqual(made.status, 201, made.text)
    set_id = made.textAt("id")
    const allocations = (made.at("allocations") as ReadonlyArray<EnteredAmount>).map(({ id }, index) => ({
      id,
      amount_cents: amounts[index] ?? 0
    }))
    return giving.submit({
      slug: null,
      url_key: made.textAt("url_key"),
      allocations,
      amount_cents: amounts.reduce((sum, each) => sum + each, 0),
      ...more
    })
  }

  const shown = async (): Promise<Shown> => {
    const page = await giving.tenant.reader.get(`/recommendation-sets/${set_id}/payments`)
    return (page.at("data") as ReadonlyArray<Shown>)[0] ?? assert.fail("there is no payment")
  }
  const shares = async () => (await shown()).allocations
  const share = async (index: number) => (await shares())[index] ?? assert.fail()
  return {
    giving,
    first,
    second,
    recipients,
    give,
    shown,
    shares,
    share,
    /** The id of the set that was paid last. */
    setId: () => set_id,
    statuses: async () => (await shares()).map(({ transfer_status }) => transfer_status),
    typesAt: async (tenant: Tenant) =>
      (await eventsOf(tenant))
        .map(({ type }) => type)
        .filter((type) => !/^(?:donation_form|recommendation_set\.created|recipient_org)/u.test(type)),
    giftAt: async (tenant: Tenant, id: string | null) =>
      JSON.parse((await tenant.reader.get(`/donations/${id}`)).text) as Record<string, unknown>,
    setAccount: (recipient: Pick<Recipient, "integration_id" | "organisation">, to: object) =>
      setAccountOf(service, recipient, to),
    retry: (id: PaymentAllocationId) =>
      service.run(Effect.result(Transfers.use((all) => all.retry(id)).pipe(asOperator(organisation)))),
    /** The exceptions that nobody has resolved. */
    open: async () => {
      const query = Effect.orDie(Effect.fromResult(parse(PaymentException.listing, [])))
      const { data } = await service.run(
        PaymentExceptions.use((all) => Effect.flatMap(query, all.list)).pipe(asOperator(organisation))
      )
      return data
    }
  }
}

export type SharingSandbox = Awaited<ReturnType<typeof makeSharingSandbox>>
