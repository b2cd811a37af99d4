/** A notice as the simulated bank of a mounted service sends it: signed with the bank's own secret. */
import { Macs } from "almoner/ports"

const header = "almoner-test-signature"

/** Spaces, an escape and a last line that whoever reads the JSON and writes it again does not keep. */
const bodyOf = (id) =>
  `{ "type":"charge.succeeded",  "id" : "${id}", "created_at": "2026-01-15T02:00:00.000Z", "account": null, ` +
  `"object": {"kind": "charge", "reference": "test_Zo\\u00eb é", "charge_id": null} }\n`

/** Makes an account of a sandbox, and gives its address for notices and one that is signed for it now. */
export const noticeFor = async (almoner, caller) => {
  const account = await almoner.integrations.create(caller, { label: "Main", processor_connect_account_id: "acct_1" })
  const body = bodyOf(`tnt_${account.id}`)
  const seconds = Math.floor(Date.now() / 1_000)
  const text = `${account.id}.${seconds}.${body}`
  const mac = await almoner.run(Macs.use((macs) => macs.make(macs.keyIds[0], "test_notice", text)))
  return { path: `/processors/${account.id}/notices`, body, header, signature: `t=${seconds},v1=${mac.value}` }
}
