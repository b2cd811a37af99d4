import { assert, describe, it } from "@effect/vitest"
import { Template } from "../../src/domain/kernel/Mail.ts"
import { serviceOver } from "../support/Late.ts"
import { memory } from "../support/Stores.ts"

describe("the pages for whoever works on the service", () => {
  const service = serviceOver({ stores: memory })
  const trial = serviceOver({ stores: memory, pages: { previews: true } })
  const headers = { accept: "text/html", host: "localhost:8080" }

  it("are not there in production, and are only read where they are", async () => {
    const absent = await service.call("GET", "/_components", { headers })
    const unknown = await service.call("GET", "/_nothing", { headers })
    assert.deepStrictEqual([absent.status, absent.text], [404, unknown.text])
    const shown = await trial.call("GET", "/_components", { headers })
    assert.strictEqual(shown.status, 200)
    assert.strictEqual(shown.headers.get("x-robots-tag"), "noindex")
    assert.strictEqual((await trial.call("POST", "/_components", { headers })).status, 405)
  })

  it("show the mail of each template as it is sent, in which nothing runs", async () => {
    assert.strictEqual((await service.call("GET", "/_mails/receipt", { headers })).status, 404)
    const list = await trial.call("GET", "/_mails", { headers })
    assert.strictEqual(list.status, 200)
    // Each fact has a line of its own.
    assert.match(list.text, /Amount: \$50\.00<br\/>[^<]*: /u)
    for (const template of Template.literals) {
      assert.include(list.text, `href="/_mails/${template}"`)
      const mail = await trial.call("GET", `/_mails/${template}`, { headers })
      const [, title = ""] = /<title>([^<]*)<\/title>/u.exec(mail.text) ?? []
      assert.notStrictEqual(title, "")
      assert.include(list.text, `<strong>${title}</strong>`)
      const policy = mail.headers.get("content-security-policy") ?? ""
      assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']*'; sandbox$/u)
    }
  })

  it("show the mails to donors in each language, and those to an organisation's people in English alone", async () => {
    const list = await trial.call("GET", "/_mails", { headers })
    const arabic = Array.from(list.text.matchAll(/href="\/_mails\/(\w+)\/ar"/gu), ([, name]) => name)
    const staff = ["introduction", "endpoint_disabled", "disclosure_duties", "cards_closed"]
    assert.sameMembers([...arabic, ...staff], [...Template.literals])
    for (const name of arabic) {
      assert.include((await trial.call("GET", `/_mails/${name}/ar`, { headers })).text, '<html lang="ar" dir="rtl">')
      assert.include((await trial.call("GET", `/_mails/${name}`, { headers })).text, '<html lang="en-AU" dir="ltr">')
    }
    assert.strictEqual((await trial.call("GET", "/_mails/cards_closed/ar", { headers })).status, 404)
  })
})

describe("the file by which Apple knows a host", () => {
  const file = new TextEncoder().encode("7B227\u0000\r\né\n")
  const service = serviceOver({ stores: memory, pages: { applePayFile: file } })
  const without = serviceOver({ stores: memory })
  const path = "/.well-known/apple-developer-merchantid-domain-association"
  const at = (host: string, method = "GET", of = service) => of.call(method, path, { headers: { host } })

  it("is served as it is at the hosts of organisations, and nowhere where there is none", async () => {
    const found = await at("harbour.localhost:8080")
    assert.deepStrictEqual([found.status, found.headers.get("x-content-type-options")], [200, "nosniff"])
    assert.deepStrictEqual(found.bytes, file)
    const head = await at("harbour.localhost:8080", "HEAD")
    assert.deepStrictEqual([head.status, head.bytes.length], [200, 0])
    assert.strictEqual((await at("harbour.localhost:8080", "POST")).status, 405)
    assert.strictEqual((await at("localhost:8080")).status, 404)
    assert.strictEqual((await at("harbour.localhost:8080", "GET", without)).status, 404)
  })
})
