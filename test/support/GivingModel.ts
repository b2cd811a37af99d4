/**
 * A model of an organisation's donors, gifts, codes, forms and links after any sequence of requests, by the contract
 * alone: it is written from service-spec and decisions, keeps plain lists in plain code, and imports nothing of `src`.
 */
export type Kind = "donor" | "log" | "code" | "gift" | "form" | "link"

/** A request, once it is known which ids the records have. */
export interface ModelRequest {
  readonly method: "POST" | "PATCH" | "DELETE"
  readonly path: (ids: Ids) => string
  readonly body?: (ids: Ids) => unknown
}

/** The id of the record of a kind that was made as the n-th. */
export type Ids = (kind: Kind, index: number) => string

/** A refusal: its code and, where the contract has one, its `param`. */
export type Refusal = readonly [status: 400 | 404 | 409, code: string, param?: string]

/** The answer that a request must get: fields that the record then shows, or one of these refusals. */
export type ExpectedAnswer =
  | { readonly status: 200 | 201; readonly made?: Kind; readonly shows: Readonly<Record<string, unknown>> }
  | { readonly refusals: ReadonlyArray<Refusal> }

export interface Step {
  readonly asked: ModelRequest
  readonly expected: ExpectedAnswer
}

type Names = { first_name: string | null; last_name: string | null; email: string | null }
type Donor = Names & { archived: boolean }
type Log = { donor: number; deleted: boolean }
type Code = { code: string; archived: boolean }
type Gift = { donor: number; amount: number; refunded: number; code: number | null }
type Form = { name: string; status: "DRAFT" | "ACTIVE" | "PAUSED" | "ARCHIVED" }
type Link = { amount: number; status: "ACTIVE" | "CANCELED"; archived: boolean }

type PathTo = ModelRequest["path"]
type BodyOf = NonNullable<ModelRequest["body"]>

const post = (path: PathTo, body: BodyOf): ModelRequest => ({ method: "POST", path, body })
const patch = (path: PathTo, body: BodyOf): ModelRequest => ({ method: "PATCH", path, body })
const remove = (path: PathTo): ModelRequest => ({ method: "DELETE", path })

const conflict: Refusal = [409, "conflict"]
const failed = (param: string): Refusal => [400, "validation_failed", param]

const leads: Readonly<Record<Form["status"], ReadonlyArray<Form["status"]>>> = {
  DRAFT: ["ACTIVE"],
  ACTIVE: ["PAUSED"],
  PAUSED: ["ACTIVE"],
  ARCHIVED: []
}

const same = (one: string, other: string): boolean => one.trim().toUpperCase() === other.trim().toUpperCase()

export class GivingModel {
  readonly donors: Array<Donor> = []
  readonly logs: Array<Log> = []
  readonly codes: Array<Code> = []
  readonly gifts: Array<Gift> = []
  readonly forms: Array<Form> = []
  readonly links: Array<Link> = []
  /** Every event in the order in which it came: its type, and whose it is. */
  readonly events: Array<readonly [type: string, kind: Kind, index: number]> = []

  #refused(asked: ModelRequest, ...refusals: ReadonlyArray<Refusal>): Step {
    return { asked, expected: { refusals } }
  }

  #done(asked: ModelRequest, shows: Readonly<Record<string, unknown>>, made?: Kind): Step {
    return { asked, expected: made === undefined ? { status: 200, shows } : { status: 201, shows, made } }
  }

  createDonor(given: Partial<Names>): Step {
    const asked = post(
      () => "/donors",
      () => given
    )
    const donor: Donor = { first_name: null, last_name: null, email: null, ...given, archived: false }
    if (donor.first_name === null && donor.last_name === null && donor.email === null)
      return this.#refused(asked, failed("first_name"))
    const index = this.donors.push(donor) - 1
    this.events.push(["donor.created", "donor", index])
    const { archived: _, ...shows } = donor
    return this.#done(asked, { ...shows, archived_at: null }, "donor")
  }

  changeDonor(index: number, changes: Partial<Names>): Step {
    const asked = patch(
      (ids) => `/donors/${ids("donor", index)}`,
      () => changes
    )
    const donor = this.donors[index] as Donor
    const after = { ...donor, ...changes }
    const isNameless = after.first_name === null && after.last_name === null && after.email === null
    if (donor.archived) return this.#refused(asked, conflict, ...(isNameless ? [failed("first_name")] : []))
    if (isNameless) return this.#refused(asked, failed("first_name"))
    const names = Object.keys(changes) as ReadonlyArray<keyof Names>
    if (names.some((name) => donor[name] !== after[name])) this.events.push(["donor.updated", "donor", index])
    Object.assign(donor, changes)
    return this.#done(asked, changes)
  }

  archiveDonor(index: number): Step {
    const asked = remove((ids) => `/donors/${ids("donor", index)}`)
    this.events.push(["donor.archived", "donor", index])
    const donor = this.donors[index] as Donor
    donor.archived = true
    return this.#done(asked, { first_name: donor.first_name })
  }

  mergeDonor(survivor: number, duplicate: number): Step {
    const asked = post(
      (ids) => `/donors/${ids("donor", survivor)}/merge`,
      (ids) => ({ duplicate_donor_id: ids("donor", duplicate) })
    )
    const [kept, gone] = [this.donors[survivor] as Donor, this.donors[duplicate] as Donor]
    const refusals: Array<Refusal> = []
    if (kept.archived) refusals.push(conflict)
    if (gone.archived || survivor === duplicate) refusals.push(failed("duplicate_donor_id"))
    if (refusals.length > 0) return this.#refused(asked, ...refusals)
    kept.first_name ??= gone.first_name
    kept.last_name ??= gone.last_name
    kept.email ??= gone.email
    gone.archived = true
    for (const each of [...this.gifts, ...this.logs]) if (each.donor === duplicate) each.donor = survivor
    this.events.push(["donor.merged", "donor", survivor])
    const { archived: _, ...shows } = kept
    return this.#done(asked, shows)
  }

  writeLog(donor: number): Step {
    const asked = post(
      (ids) => `/donors/${ids("donor", donor)}/contact-logs`,
      () => ({ contact_method: "PHONE", occurred_at: "2026-01-10T00:00:00Z" })
    )
    if (this.donors[donor]?.archived === true) return this.#refused(asked, conflict)
    this.logs.push({ donor, deleted: false })
    return this.#done(asked, { contact_method: "PHONE" }, "log")
  }

  /** Deletes a log under a donor, who need not be its own. */
  deleteLog(index: number, donor: number): Step {
    const asked = remove((ids) => `/donors/${ids("donor", donor)}/contact-logs/${ids("log", index)}`)
    const log = this.logs[index] as Log
    if (log.donor !== donor) return this.#refused(asked, [404, "not_found"])
    if (!log.deleted && this.donors[donor]?.archived === true) return this.#refused(asked, conflict)
    log.deleted = true
    return this.#done(asked, {})
  }

  createCode(code: string): Step {
    const asked = post(
      () => "/revenue-codes",
      () => ({ code })
    )
    if (this.codes.some((each) => same(each.code, code))) return this.#refused(asked, conflict)
    this.codes.push({ code: code.trim(), archived: false })
    return this.#done(asked, { code: code.trim(), namespace: "INTERNAL", archived_at: null }, "code")
  }

  renameCode(index: number, code: string): Step {
    const asked = patch(
      (ids) => `/revenue-codes/${ids("code", index)}`,
      () => ({ code })
    )
    const renamed = this.codes[index] as Code
    const isTaken = this.codes.some((each) => each !== renamed && same(each.code, code))
    if (renamed.archived || isTaken) return this.#refused(asked, conflict)
    renamed.code = code.trim()
    return this.#done(asked, { code: renamed.code })
  }

  archiveCode(index: number): Step {
    const asked = remove((ids) => `/revenue-codes/${ids("code", index)}`)
    const code = this.codes[index] as Code
    code.archived = true
    return this.#done(asked, { code: code.code })
  }

  /** Records a gift, booked under a code by its text, by its id, or under none; an archived code goes on being booked. */
  give(donor: number, amount: number, booked: { readonly text: string } | { readonly code: number } | null): Step {
    const byId = booked !== null && "code" in booked ? booked.code : undefined
    const text = booked !== null && "text" in booked ? booked.text : undefined
    const asked = post(
      () => "/donations",
      (ids) => ({
        donor_id: ids("donor", donor),
        donation_type: "MONETARY",
        amount_cents: amount,
        donation_date: "2026-01-10",
        ...(text === undefined ? {} : { revenue_code: text }),
        ...(byId === undefined ? {} : { revenue_code_id: ids("code", byId) })
      })
    )
    if (amount < 1) return this.#refused(asked, failed("amount_cents"))
    if (this.donors[donor]?.archived === true) return this.#refused(asked, failed("donor_id"))
    const code = byId ?? (text === undefined ? null : this.#findOrCreate(text))
    const index = this.gifts.push({ donor, amount, refunded: 0, code }) - 1
    this.events.push(["donation.created", "gift", index], ["donation.succeeded", "gift", index])
    const revenue_code = code === null ? null : this.codes[code]?.code
    return this.#done(asked, { amount_cents: amount, status: "CONFIRMED", revenue_code }, "gift")
  }

  #findOrCreate(text: string): number {
    const found = this.codes.findIndex((each) => same(each.code, text))
    return found >= 0 ? found : this.codes.push({ code: text.trim(), archived: false }) - 1
  }

  refund(index: number, amount: number | undefined): Step {
    const asked = post(
      (ids) => `/donations/${ids("gift", index)}/refund`,
      () => (amount === undefined ? {} : { amount_cents: amount })
    )
    const gift = this.gifts[index] as Gift
    const left = gift.amount - gift.refunded
    if (left === 0) return this.#refused(asked, conflict)
    if (amount !== undefined && amount > left) return this.#refused(asked, failed("amount_cents"))
    if (gift.refunded === 0) this.events.push(["donation.refunded", "gift", index])
    gift.refunded += amount ?? left
    const status = gift.refunded === gift.amount ? "REFUNDED" : "CONFIRMED"
    return this.#done(asked, { status, refunded_amount_cents: gift.refunded })
  }

  createForm(name: string): Step {
    const asked = post(
      () => "/forms",
      () => ({ name })
    )
    const index = this.forms.push({ name, status: "DRAFT" }) - 1
    this.events.push(["donation_form.created", "form", index])
    return this.#done(asked, { name, title: name, status: "DRAFT" }, "form")
  }

  moveForm(index: number, status: Form["status"]): Step {
    const asked = patch(
      (ids) => `/forms/${ids("form", index)}`,
      () => ({ status })
    )
    const form = this.forms[index] as Form
    if (form.status === "ARCHIVED") return this.#refused(asked, conflict)
    if (form.status === status) return this.#done(asked, { status })
    if (!leads[form.status].includes(status)) return this.#refused(asked, conflict)
    form.status = status
    this.events.push(["donation_form.updated", "form", index])
    return this.#done(asked, { status })
  }

  archiveForm(index: number): Step {
    const asked = remove((ids) => `/forms/${ids("form", index)}`)
    const form = this.forms[index] as Form
    form.status = "ARCHIVED"
    this.events.push(["donation_form.archived", "form", index])
    return this.#done(asked, { status: "ARCHIVED" })
  }

  createLink(amount: number): Step {
    const asked = post(
      () => "/checkout-links",
      () => ({ donor_email: "kim@example.org", amount_cents: amount })
    )
    const index = this.links.push({ amount, status: "ACTIVE", archived: false }) - 1
    this.events.push(["checkout_link.created", "link", index])
    return this.#done(asked, { amount_cents: amount, status: "ACTIVE", payment_methods: ["card"] }, "link")
  }

  changeLink(index: number, amount: number): Step {
    const asked = patch(
      (ids) => `/checkout-links/${ids("link", index)}`,
      () => ({ amount_cents: amount })
    )
    const link = this.links[index] as Link
    if (link.archived) return this.#refused(asked, conflict)
    // A PATCH that changes nothing answers 200, whatever the link's status.
    if (link.amount === amount) return this.#done(asked, { amount_cents: amount, status: link.status })
    if (link.status !== "ACTIVE") return this.#refused(asked, conflict)
    this.events.push(["checkout_link.updated", "link", index])
    link.amount = amount
    return this.#done(asked, { amount_cents: amount })
  }

  cancelLink(index: number): Step {
    const asked = post(
      (ids) => `/checkout-links/${ids("link", index)}/cancel`,
      () => ({})
    )
    const link = this.links[index] as Link
    if (link.archived || link.status !== "ACTIVE") return this.#refused(asked, conflict)
    link.status = "CANCELED"
    this.events.push(["checkout_link.cancelled", "link", index])
    return this.#done(asked, { status: "CANCELED" })
  }

  archiveLink(index: number): Step {
    const asked = remove((ids) => `/checkout-links/${ids("link", index)}`)
    const link = this.links[index] as Link
    link.archived = true
    this.events.push(["checkout_link.archived", "link", index])
    return this.#done(asked, { status: link.status })
  }
}
