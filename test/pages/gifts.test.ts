import { assert, it } from "@effect/vitest"
import { Caps } from "../../src/app/compliance/Caps.ts"
import { CodeAssignments } from "../../src/app/compliance/CodeAssignments.ts"
import { type GivingSandbox, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { byCard, firstScreen, visitorOf } from "../support/PageVisitor.ts"
import type { Service } from "../support/Service.ts"
import { describeService, inMemory } from "../support/ServiceSuite.ts"
import { asOperator } from "../support/Tenant.ts"

const visitor = (service: Service, { tenant }: GivingSandbox) =>
  visitorOf(service.call, `${tenant.organisation.slug}.localhost:1`)

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}

describeService(inMemory, "a gift over what the law lets one donor give", (service) => {
  it("is refused with that reason, on a form and on a link, whatever its donor gave before", async () => {
    service.pace = 0
    const giving = await makeGivingSandbox(service)
    const { organisation, writer } = giving.tenant
    for (const day of ["2026-12-01", "2027-02-10"]) await writer.post("/sandbox/advance", { to: `${day}T03:00:00Z` })
    const capped = CodeAssignments.use((use) => use.assign({ code: "WINTER", jurisdiction: "AU" }))
    await service.run(capped.pipe(asOperator(organisation)))
    await service.run(Caps.use((use) => use.update({ is_blocking: true })).pipe(asOperator(organisation)))
    const visit = visitor(service, giving)
    const give = async (amount_other: string, email: string) => {
      const first = await visit(`/f/${giving.form.slug}`)
      const second = await first.submit({ ...firstScreen, amount_other, email })
      return second.submit(byCard(numbers.succeeds))
    }
    assert.strictEqual((await give("50000", "ada@example.org")).heading, "Thank you")
    const again = await give("1", "ada@example.org")
    const stranger = await give("50001", "bea@example.org")
    const says =
      "There is a problem This is more than can be taken: the law lets one donor give only so much here. Give less, or ask the organisation."
    assert.deepStrictEqual([again.problems, stranger.problems], [says, says])
    // What was typed is there to be made less.
    assert.strictEqual(stranger.field("amount_other")["value"], "50001")
    const less = await stranger.submit({ ...firstScreen, amount_other: "50000", email: "bea@example.org" })
    assert.strictEqual((await less.submit(byCard(numbers.succeeds))).heading, "Thank you")

    const link = await writer.post("/checkout-links", {
      donor_email: "ada@example.org",
      amount_cents: 100,
      revenue_code: "WINTER"
    })
    const onLink = await (await visit(pathOf(link.textAt("url")))).submit(byCard(numbers.succeeds))
    assert.deepStrictEqual([onLink.heading, onLink.problems], ["Give $1", says])
    assert.lengthOf(await giving.charges(), 2)
  })
})
