import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { effWords } from "../../src/adapters/crypto/Tokens.ts"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { RecipientAccounts } from "../../src/app/sharing/RecipientAccounts.ts"
import { CurrentCaller } from "../../src/ports/access/CurrentCaller.ts"
import { withLayer } from "../support/Steps.ts"
import { almoner, json, newAccount, newOrganisation, world } from "./CommandWorld.ts"

const linkAs = (slug: string, passphrase: string) =>
  Effect.gen(function* () {
    const organisation = yield* Organisations.use((organisations) => organisations.findBySlug(slug))
    const link = RecipientAccounts.use((accounts) => accounts.link({ passphrase }))
    return yield* Effect.provideService(link, CurrentCaller, {
      organisation,
      actor: { type: "USER", id: "usr_1" },
      scope: "WRITE",
      request_id: "req_1"
    })
  })

withLayer(world)("processor integrations on the command line", ({ effect }) => {
  effect("a passphrase is six words, is shown once, and is replaced without undoing what it linked", function* () {
    for (const slug of ["giver", "bank"]) yield* newOrganisation(slug)
    const account = ["--label", "Main", "--processor-connect-account", "acct_1"]
    const made = yield* json("integration", "create", "--organisation", "bank", ...account)
    assert.match(made.id, /^intg_/)
    // Stripe has no key here, so that nobody was asked whether it takes charges.
    const nobodyAsked = { processor: "stripe", processor_connect_account_id: "acct_1", charges_enabled: false }
    assert.deepInclude(made, { label: "Main", ...nobodyAsked })
    const words: ReadonlyArray<string> = made.passphrase.split(" ")
    assert.lengthOf(words, 6)
    for (const word of words) assert.include(effWords, word)
    const listed = yield* almoner("--json", "integration", "list", "--organisation", "bank")
    assert.include(listed.stdout, made.id)
    assert.notInclude(listed.stdout, "passphrase_hash")
    assert.notInclude(listed.stdout, made.passphrase)

    const first = yield* linkAs("giver", made.passphrase)
    const rotated = yield* json("integration", "rotate-passphrase", "--organisation", "bank", made.id)
    assert.notStrictEqual(rotated.passphrase, made.passphrase)
    assert.strictEqual((yield* Effect.flip(linkAs("giver", made.passphrase)))._tag, "InvalidInput")
    assert.isFalse((yield* linkAs("giver", rotated.passphrase)).created)

    const links = yield* json("recipient-account", "list", "--organisation", "giver", "--is-active", "true")
    assert.deepStrictEqual(
      links.data.map(({ id, recipient_org_slug }: Record<string, unknown>) => [id, recipient_org_slug]),
      [[first.link.id, "bank"]]
    )
    const inactive = yield* json("recipient-account", "list", "--organisation", "giver", "--is-active", "false")
    assert.isEmpty(inactive.data)
  })

  effect("another organisation's integration is refused, and an empty label is", function* () {
    for (const slug of ["one", "two"]) yield* newOrganisation(slug)
    const { id } = yield* newAccount(["--organisation", "one"], "acct_a")
    const foreign = yield* almoner("integration", "rotate-passphrase", "--organisation", "two", id)
    assert.strictEqual(foreign.failure, `There is no integration ${id}.`)
    const creating = ["integration", "create", "--organisation", "one", "--processor-connect-account"]
    const blank = yield* almoner(...creating, "acct_a", "--label", " ")
    assert.strictEqual(blank.failure, "--label must not be empty.")
    const checked = yield* almoner("integration", "check", "--organisation", "one", id)
    assert.match(checked.failure ?? "", /There is no key of stripe here.*Set the processor's keys\.$/)
    for (const account of ["acct_1…", "acct_1...", "acct_", "ACCT_1", "1234", "acct_1\u200b2", "acct_１"]) {
      assert.match(
        (yield* almoner(...creating, account, "--label", "B")).failure ?? "",
        /must be an account of Stripe, acct_ and then letters/
      )
    }
  })
})
