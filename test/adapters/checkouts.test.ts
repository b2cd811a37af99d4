import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { CheckoutLinks } from "../../src/app/giving/CheckoutLinks.ts"
import { RecipientAccounts } from "../../src/app/sharing/RecipientAccounts.ts"
import { RecommendationSets } from "../../src/app/sharing/RecommendationSets.ts"
import { DonationStore } from "../../src/ports.ts"
import { fieldsOf } from "../support/Answer.ts"
import { withLayer } from "../support/Steps.ts"
import { asOperator } from "../support/Tenant.ts"
import { almoner, json, newAccount, newFormOf, StandardInput, world } from "./CommandWorld.ts"

/** A sandbox with a form that is open. */
const makeSandbox = (slug: string, ...more: ReadonlyArray<string>) =>
  Effect.map(newFormOf(`${slug}-sandbox`, { name: "Appeal" }, ...more), ({ at }) => at)

const give = (at: ReadonlyArray<string>, number: string, ...more: ReadonlyArray<string>) =>
  json(
    "checkout",
    "submit",
    ...at,
    ...["--form", "appeal", "--amount-cents", "5000", "--currency", "AUD", "--method", "card"],
    ...["--email", "ada@example.org", "--first-name", "Ada", "--payment-token-file", "-"],
    ...more
  ).pipe(Effect.provideService(StandardInput, `${number}\n`))

withLayer(world)("gifts on the command line", ({ effect }) => {
  effect("are given as on a page, shown, and add up in the books", function* () {
    const at = yield* makeSandbox("giving")
    const before = yield* json("checkout", "open", ...at, "--form", "appeal")
    assert.strictEqual(before.closed, "no_processor")
    const account = ["--label", "Main", "--processor-connect-account", "acct_1"]
    const made = yield* json("integration", "create", ...at, ...account, "--methods", "card,payto")
    assert.deepInclude(made, { processor: "test", is_default: true, settlement_currency: "AUD" })
    const page = yield* json("checkout", "open", ...at, "--form", "appeal")
    assert.deepStrictEqual([page.closed, page.methods], [null, ["card", "payto"]])

    yield* json("tariff", "set", "FREE", "--basis-points", "100", "--fixed-cents", "10")
    const { data: tariffs } = yield* json("tariff", "list")
    assert.deepInclude(tariffs[0], { plan: "FREE", basis_points: 100, fixed_cents: 10 })

    const submission = "018f6e7a-0000-7000-8000-00000000c0de"
    const paid = yield* give(at, "4242 4242 4242 4242", "--submission-id", submission)
    assert.deepInclude(paid, { status: "SUCCEEDED", failure_code: null })
    const again = yield* give(at, "4000 0000 0000 0002", "--submission-id", submission)
    assert.strictEqual(again.donation_id, paid.donation_id)
    const progress = yield* json("checkout", "progress", "--token-file", "-").pipe(
      Effect.provideService(StandardInput, `${paid.progress_token}\n`)
    )
    assert.deepInclude(progress, { status: "SUCCEEDED", donation_id: paid.donation_id })

    const { data: charges } = yield* json("charge", "list", ...at, "--subject", paid.donation_id)
    assert.lengthOf(charges, 1)
    const shown = yield* json("charge", "show", ...at, charges[0].id)
    assert.deepInclude(shown, { status: "SUCCEEDED", disputes: [] })
    assert.notProperty(shown, "sealed_token")
    assert.deepInclude(yield* json("charge", "look", ...at, charges[0].id), { status: "SUCCEEDED" })

    const { data: moved } = yield* json("ledger", "list", ...at, "--charge", charges[0].id)
    assert.sameMembers(
      moved.map(({ from_account, to_account }: Record<string, string>) => `${from_account} ${to_account}`),
      ["donor organisation", "organisation processor_fees", "organisation platform_fees"]
    )
    const { data: books } = yield* json("ledger", "check")
    for (const { faults } of books) assert.deepStrictEqual(faults, [])
  })

  effect("are given in a language, one that mails have", function* () {
    const { at, organisation } = yield* newFormOf("speaking-sandbox", { name: "Appeal" })
    yield* newAccount(at)
    const { donation_id } = yield* give(at, "4242 4242 4242 4242", "--language", "ar")
    const gift = yield* DonationStore.use(({ find }) => find(organisation.id, donation_id))
    assert.strictEqual(Option.getOrThrow(gift).language, "ar")
    const unknown = yield* almoner(
      "checkout",
      "submit",
      ...at,
      ...["--form", "appeal", "--method", "card", "--language", "tlh"]
    )
    assert.match(unknown.stderr, /--language.*en-AU.*ar/u)
  })

  effect("that are refused say why, and what somebody must look at is listed and resolved once", function* () {
    const at = yield* makeSandbox("refusing")
    yield* newAccount(at)
    const yen = yield* almoner(
      ...["checkout", "submit", ...at, "--form", "appeal", "--amount-cents", "5000", "--currency", "JPY"],
      ...["--method", "card", "--email", "ada@example.org"]
    )
    assert.strictEqual(yen.failure, "--currency must be AUD, in which this page takes gifts.")
    const dear = yield* give(at, "4000 0000 0000 9219")
    assert.strictEqual(dear.status, "SUCCEEDED")
    const { data } = yield* json("exception", "list", ...at)
    assert.deepInclude(data[0], { kind: "fee_exceeds_gift", amount_cents: 100 })
    const resolve = ["exception", "resolve", ...at, data[0].id, "--note", "Agreed"]
    const kept = yield* almoner(...resolve, "--money", "kept")
    assert.strictEqual(kept.failure, "--money must not be given, because nothing is held.")
    assert.deepInclude(yield* json(...resolve), { status: "RESOLVED", note: "Agreed" })
    assert.strictEqual((yield* almoner(...resolve)).status, 1)
    assert.isEmpty((yield* json("exception", "list", ...at)).data)
  })

  effect("are paid on links and sets by their ids, with answers to what is asked", function* () {
    const at = yield* makeSandbox("linking", "--plan", "ENTERPRISE")
    const there = yield* makeSandbox("linked")
    const account = ["--label", "Main", "--processor-connect-account", "acct_1"]
    yield* json("integration", "create", ...at, ...account)
    const { passphrase } = yield* json("integration", "create", ...there, ...account)
    const organisation = yield* Organisations.use((organisations) => organisations.findBySlug("linking-sandbox"))
    const recipient = yield* RecipientAccounts.use((accounts) => accounts.link({ passphrase })).pipe(
      asOperator(organisation)
    )
    const link = yield* CheckoutLinks.use((links) =>
      links.create({ donor_email: "bea@example.org", amount_cents: 7_000 })
    ).pipe(asOperator(organisation))
    const allocations = [{ recipient_org_account_link_id: recipient.link.id, amount_cents: 2_000 }]
    const set = yield* RecommendationSets.use((sets) =>
      sets.create({ name: "Harvest", amount_mode: "SUGGESTED", allocations })
    ).pipe(asOperator(organisation))
    const prompt = yield* json("consent-prompt", "create", ...at, "May we write to you?")
    assert.deepInclude(prompt, { text: "May we write to you?", position: 1 })
    const second = yield* json("consent-prompt", "create", ...at, "May we call you?", "--position", "1")
    yield* json("consent-prompt", "update", ...at, second.id, "--text", "May we ring you?")

    const opened = yield* json("checkout", "open", ...at, "--link", link.id)
    assert.deepInclude(opened, { closed: null, prompts: [], set: null })
    assert.strictEqual(opened.link.amount_cents, 7_000)
    const pay = (...more: ReadonlyArray<string>) =>
      almoner("checkout", "submit", ...at, "--method", "card", "--payment-token-file", "-", "--json", ...more).pipe(
        Effect.provideService(StandardInput, "4242 4242 4242 4242\n")
      )
    const paid = JSON.parse((yield* pay("--link", link.id)).stdout)
    assert.deepInclude(paid, { status: "SUCCEEDED", amount_cents: 7_000 })
    assert.strictEqual((yield* json("checkout", "open", ...at, "--link", link.id)).closed, "completed")

    const onSet = ["--set", set.id, "--email", "cy@example.org"]
    const unanswered = yield* pay(...onSet)
    const asks =
      "This page asks 2 consent prompts: give --consent yes or no for each, with commas. checkout open shows what is asked."
    assert.strictEqual(unanswered.failure, asks)
    for (const odd of ["yes,maybe", "yes", "yes,no,", ""]) {
      assert.strictEqual((yield* pay(...onSet, `--consent=${odd}`)).failure, asks, odd)
    }
    const many = yield* pay(...onSet, "--consent", "yes,no", "--amounts", "1,2")
    assert.strictEqual(many.failure, "--amounts must be 1 whole numbers of minor units, with commas.")
    for (const odd of ["3100,", ",3100", "31.00", "3e3"]) {
      const { status, stderr } = yield* pay(...onSet, "--consent", "yes,no", "--amounts", odd)
      assert.deepStrictEqual([status, /cents/.test(stderr)], [2, true], odd)
    }
    const given = JSON.parse((yield* pay(...onSet, "--consent", "yes,no", "--amounts", "3100")).stdout)
    assert.deepInclude(given, { status: "SUCCEEDED", amount_cents: 3_100, donation_id: null })

    yield* json("consent-prompt", "archive", ...at, prompt.id)
    const { data } = yield* json("consent-prompt", "list", ...at)
    assert.deepStrictEqual(fieldsOf(data, "text"), ["May we ring you?"])
    assert.isNotNull((yield* json("consent-prompt", "show", ...at, prompt.id)).archived_at)
    const { data: books } = yield* json("ledger", "check")
    for (const { faults } of books) assert.deepStrictEqual(faults, [])
  })
})
