/** Notices of the test processor, signed with the key of the ring that every process of the benchmark has. */
import { createHmac } from "node:crypto"
import { encryptionKeys } from "../harness/Program.mjs"

const ringKey = Buffer.from(encryptionKeys.slice(encryptionKeys.indexOf(":") + 1), "base64")
const key = createHmac("sha256", ringKey).update("almoner test_notice", "utf8").digest()

export const signatureHeader = "almoner-test-signature"

/** The signature of a body for an integration at a time, Unix seconds. */
export const macOf = (integrationId, seconds, body) =>
  createHmac("sha256", key).update(`${integrationId}.${seconds}.`, "utf8").update(body, "utf8").digest("base64url")

/** The header with which the test processor signs a body now. */
export const signatureOf = (integrationId, body) => {
  const seconds = Math.floor(Date.now() / 1_000)
  return { [signatureHeader]: `t=${seconds},v1=${macOf(integrationId, seconds, body)}` }
}

/** What a notice says of a charge that nobody here has; each is of an event of its own. */
export const notice = {
  id: "tnt_{turn}",
  type: "charge.succeeded",
  created_at: new Date().toISOString(),
  account: null,
  object: { kind: "charge", reference: "test_{turn}", charge_id: null }
}
