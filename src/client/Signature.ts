export const encoder = new TextEncoder()

/** HMAC-SHA256 with the secret's UTF-8 bytes. */
export const macOf = async (secret: string, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> => {
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"])
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, message))
}

/** The signed bytes of a delivery: `id.timestamp.body`. service-spec, Delivery shape. */
export const signedBytes = (id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const head = encoder.encode(`${id}.${timestamp}.`)
  const all = new Uint8Array(head.length + body.length)
  all.set(head)
  all.set(body, head.length)
  return all
}

/** The secrets that a caller gave. Throws where there is none: anybody can sign with an empty key. */
export const secretsOf = (who: string, secret: string | ReadonlyArray<string>): ReadonlyArray<string> => {
  const secrets = Array.isArray(secret) ? secret : [secret]
  if (secrets.length > 0 && secrets.every((each) => typeof each === "string" && each !== "")) return secrets
  throw new TypeError(`${who} needs the secret of the endpoint, or several: texts of which none is empty.`)
}
