/** What callers of the service send. */

export const bearer = (key) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" })

export const gift = (donorId) => ({
  donor_id: donorId,
  donation_type: "MONETARY",
  amount_cents: 5_000,
  donation_date: "2026-01-01"
})

/** The events of a gift that is recorded as confirmed. */
export const giftEvents = ["donation.created", "donation.succeeded"]

/** Sends JSON and gives the answer's; throws for anything but success. */
export async function post(baseUrl, path, headers, body) {
  const answer = await fetch(`${baseUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}
