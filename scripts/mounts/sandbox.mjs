/** The sandbox that is asked through a mounted service, and a notice as its simulated bank sends it, signed with its secret. */
import { Macs } from "almoner/ports"

/** A logo of one point, which the page asks for. */
const logo = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const header = "almoner-test-signature"

/** Spaces, an escape and a last line that whoever reads the JSON and writes it again does not keep. */
const bodyOf = (id) =>
  `{ "type":"charge.succeeded",  "id" : "${id}", "created_at": "2026-01-15T02:00:00.000Z", "account": null, ` +
  `"object": {"kind": "charge", "reference": "test_Zo\\u00eb é", "charge_id": null} }\n`

/** Makes an account of a sandbox, and gives its address for notices and one that is signed for it now. */
const noticeFor = async (almoner, caller) => {
  const account = await almoner.integrations.create(caller, { label: "Main", processor_connect_account_id: "acct_1" })
  const body = bodyOf(`tnt_${account.id}`)
  const seconds = Math.floor(Date.now() / 1_000)
  const text = `${account.id}.${seconds}.${body}`
  const mac = await almoner.run(Macs.use((macs) => macs.make(macs.keyIds[0], "test_notice", text)))
  return { path: `/processors/${account.id}/notices`, body, header, signature: `t=${seconds},v1=${mac.value}` }
}

/** Makes the sandbox, and gives a key of it and the notice. */
export const sandboxIn = async (almoner) => {
  const charity = { slug: "riverside", name: "Riverside", timezone: "Australia/Sydney", default_currency: "AUD" }
  const { sandbox } = await almoner.organisations.create(charity)
  const ada = await almoner.caller({ organisation: sandbox.id, user: "ada", scope: "WRITE" })
  const { secret: key } = await almoner.apiKeys.create(ada, { name: "Battery", scope: "WRITE" })
  const notice = await noticeFor(almoner, ada)
  await almoner.givingSettings.setLogo(ada, { data: logo })
  const { slug } = await almoner.forms.create(ada, { name: "Winter appeal", status: "ACTIVE" })
  return { key, notice, page: { host: `${sandbox.slug}.localhost`, path: `/f/${slug}` } }
}
