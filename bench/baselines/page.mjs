/**
 * The page of a form as a good engineer writes it by hand with Fastify and `pg`: what the page needs is read in two statements, and
 * a string is made of it, escaped, with a policy and a signed token that holds what was typed. DATABASE_URL names the database of
 * the service that it is compared with, and GIFTS_URL an empty one for gifts, whose tables are those of gift.mjs. Its first message is
 * `{ port }`. GET shows the first screen, POST the second one, and POST with a means of payment makes the gift. Pages are compressed
 * for those who ask for it.
 */
import { createHash, createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants } from "node:zlib"
import Fastify from "fastify"
import pg from "pg"
import { giftTables, giveByCard, work } from "./gift.mjs"
import { prepare } from "./schema.mjs"

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
const gifts = new pg.Pool({ connectionString: process.env.GIFTS_URL })
await prepare(gifts, "http://127.0.0.1:9/", 0)
await gifts.query(giftTables)
await gifts.query("delete from webhook_endpoints")
const [{ id: giver }] = (await gifts.query("select id from organisations")).rows
const key = Buffer.alloc(32, 7)
const words = ["margin", "padding", "color", "border", "display", "font", "grid", "gap"]
/** Rules of a style sheet, none like another: they are compressed as hardly as those of a page. */
const rulesOf = (name, count) =>
  Array.from({ length: count }, (_, index) => {
    const some = createHash("sha256").update(`${name} ${index}`).digest()
    const word = (at) => words[some[at] % words.length]
    return `.${word(0)}-${some[1]}{${word(2)}:${some[3]}px;${word(4)}:${some[5]}%}`
  }).join("")
// About as long as the service's own, so that both send as much.
const style = rulesOf("style", 130)
const script = `(()=>{})()/*${rulesOf("script", 45)}*/`
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`
const policy = `default-src 'none'; style-src ${hash(style)}; script-src ${hash(script)}; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escaped = (text) => String(text ?? "").replaceAll(/[&<>"]/g, (found) => escapes[found])
const money = new Intl.NumberFormat("en-AU", {
  style: "currency",
  currency: "AUD",
  trailingZeroDisplay: "stripIfInteger"
})
const methods = ["card", "au_becs_debit", "payto", "bank_transfer"]

const mac = (payload) => createHmac("sha256", key).update(payload).digest()

function tokenOf(state) {
  const payload = Buffer.from(JSON.stringify(state)).toString("base64url")
  return `${payload}.${mac(payload).toString("base64url")}`
}

function stateOf(token) {
  const [payload, given] = token.split(".")
  if (!timingSafeEqual(mac(payload), Buffer.from(given, "base64url"))) throw new Error("a strange token")
  return JSON.parse(Buffer.from(payload, "base64url").toString())
}

async function pageOf(organisation, slug) {
  const { rows } = await pool.query(
    `select o.id as organisation_id, o.name as organisation_name, o.timezone, o.abn, s.accent_color, f.*
     from organisations o join donation_forms f on f.organisation_id = o.id left join giving_settings s on s.organisation_id = o.id
     where o.slug = $1 and f.slug = $2 and f.status = 'ACTIVE'`,
    [organisation, slug]
  )
  const { organisation_id } = rows[0]
  const around = await pool.query(
    `select (select coalesce(json_agg(json_build_object('id', id, 'text', text)), '[]') from consent_prompts
       where organisation_id = $1 and archived_at is null) as prompts,
     (select processor from integrations where organisation_id = $1 and is_default and charges_enabled limit 1) as processor`,
    [organisation_id]
  )
  return { ...rows[0], ...around.rows[0] }
}

const layout = (title, page, main) =>
  `<!doctype html><html lang="en-AU"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style>${style}</style></head><body><header>${escaped(page.organisation_name)}</header><main><h1>${escaped(title)}</h1>${main}</main><script>${script}</script></body></html>`

const field = (name, label, value = "") =>
  `<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="text" value="${escaped(value)}" autocomplete="off" spellcheck="false"></div>`

const first = (page, token) =>
  layout(
    page.title,
    page,
    `<form method="post"><input type="hidden" name="token" value="${token}"><fieldset><legend>How much?</legend>${page.suggested_amounts_cents
      .map((cents) => `<label><input type="radio" name="amount" value="${cents}">${money.format(cents / 100)}</label>`)
      .join("")}</fieldset>${field("amount_other", "Amount in AUD")}<fieldset><legend>How often?</legend>${[
      "ONE_TIME",
      ...page.recurring_frequencies
    ]
      .map((each) => `<label><input type="radio" name="cadence" value="${each}">${each}</label>`)
      .join(
        ""
      )}</fieldset>${field("name", "Your full name")}${field("email", "E-mail address")}${page.prompts.map(({ id, text }) => `<label><input type="checkbox" name="consent.${id}">${escaped(text)}</label>`).join("")}<button name="step" value="who">Continue</button></form>`
  )

const second = (page, state) => {
  const give = `Give ${money.format(state.gift.amount_cents / 100)}`
  const options = Array.from(
    { length: 12 },
    (_, n) => `<option value="${n}">4242 4242 4242 42${n} – a test number</option>`
  )
  return layout(
    give,
    page,
    `<form method="post"><input type="hidden" name="token" value="${tokenOf(state)}"><dl><div><dt>To ${escaped(page.organisation_name)}</dt><dd>${money.format(state.gift.amount_cents / 100)}</dd></div></dl>${methods
      .map(
        (method) =>
          `<section><h3>${method}</h3><select>${options.join("")}</select><button name="method" value="${method}">${give}</button></section>`
      )
      .join("")}</form>`
  )
}

const app = Fastify({ logger: false })
app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_, body, done) =>
  done(null, Object.fromEntries(new URLSearchParams(body)))
)
app.addHook("onRequest", async (_, reply) => {
  reply.headers({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff"
  })
})
app.addHook("onSend", async ({ headers }, reply, page) => {
  if (headers["accept-encoding"] !== "br" || page === "") return page
  reply.headers({ "content-encoding": "br", vary: "accept-encoding" })
  return promisify(brotliCompress)(page, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
})
const organisationOf = ({ headers }) => headers.host.split(".", 1)[0]
app.get("/f/:slug", async (request) => {
  const page = await pageOf(organisationOf(request), request.params.slug)
  return first(page, tokenOf({ id: randomUUID(), slug: page.slug, at: Date.now() }))
})
app.post("/f/:slug", async (request, reply) => {
  const { amount, email, method, name, token } = request.body
  const state = stateOf(token)
  const page = await pageOf(organisationOf(request), request.params.slug)
  if (method !== undefined) {
    await giveByCard(gifts, giver, {
      currency: "AUD",
      email: state.gift.email,
      form: page.slug,
      submission_id: state.id
    })
    return reply.redirect(`/p/${tokenOf({ id: state.id })}`, 303)
  }
  if (
    !page.suggested_amounts_cents.includes(Number(amount)) ||
    !/^[^\s@]+@[^\s@]+$/.test(email) ||
    name.trim() === ""
  ) {
    throw new Error("a strange gift")
  }
  return second(page, { ...state, gift: { amount_cents: Number(amount), name: name.trim(), email } })
})
const rest = await work(gifts)
process.once("SIGTERM", async () => {
  await rest()
  process.exit()
})
await app.listen({ port: 0, host: "127.0.0.1" })
process.send({ port: app.server.address().port })
