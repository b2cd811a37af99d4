import { type Books, platform } from "./Books.ts"
import { invalid, type Json, metadataOf, missingObject, Refusal } from "./Protocol.ts"

/** Why an account takes no money now: for a while, forever, or since it is gone. */
export type ShutReason = "disabled" | "rejected" | "closed"

/** Connected accounts, which need not be made here: any that is named is there until it is said to be shut. */
export const makeAccounts = (books: Books) => {
  const shut = new Map<string, ShutReason>()
  const made = new Map<string, Json>()
  const links: Array<Json> = []
  /** The hosts that wallets are offered on, by the account that takes the charges. */
  const domains = new Map<string, Json>()
  /** Hosts at which Apple finds no file. */
  const unproved = new Set<string>()

  const domainOf = (id: string): Json => {
    const found = [...domains.values()].find((each) => each.id === id)
    if (found === undefined || found.account !== books.acting) throw missingObject("payment_method_domain")
    const { account: _, ...shown } = found
    const active = { status: "active" }
    const error_message = "The file at /.well-known/ was not found."
    const apple_pay = unproved.has(String(found.domain_name))
      ? { status: "inactive", status_details: { error_message } }
      : active
    return { ...shown, object: "payment_method_domain", enabled: true, apple_pay, google_pay: active, link: active }
  }

  /** Where Stripe opens accounts for this platform. */
  const served = ["AU", "GB", "JP", "NZ", "US"]

  const reasons: Readonly<Record<ShutReason, string>> = {
    disabled: "requirements.past_due",
    rejected: "rejected.other",
    closed: "other"
  }

  const show = (id: string): Json => {
    const why = shut.get(id)
    if (why === "closed") {
      const message = "The provided key does not have access to the account, or it does not exist."
      throw new Refusal(403, { type: "invalid_request_error", code: "account_invalid", message })
    }
    return {
      country: "AU",
      default_currency: "aud",
      ...made.get(id),
      id,
      object: "account",
      charges_enabled: why === undefined,
      requirements: { disabled_reason: why === undefined ? null : reasons[why] }
    }
  }

  return {
    links,
    domains: () => [...domains.values()].map(({ account, domain_name }) => `${account} ${domain_name}`),
    unproved,
    showDomain: domainOf,

    registerDomain: ({ domain_name }: Json): Json => {
      const name = String(domain_name)
      if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/u.test(name)) throw invalid("url_invalid")
      const key = `${books.acting} ${name}`
      const known = domains.get(key) ?? { id: books.next("pmd"), account: books.acting, domain_name: name }
      domains.set(key, known)
      return domainOf(String(known.id))
    },
    isShut: (id: unknown) => shut.has(String(id)),
    isGone: (id: unknown) => shut.get(String(id)) === "closed",
    shut: (id: string, why: ShutReason) => void shut.set(id, why),
    reopen: (id: string) => void shut.delete(id),

    show: (id: string): Json => {
      if (books.acting !== platform && books.acting !== id) throw invalid("account_invalid")
      return show(id)
    },

    create: (form: Json): Json => {
      if (books.acting !== platform) throw invalid("platform_only")
      if (form.country !== undefined && !served.includes(String(form.country))) throw invalid("country_unsupported")
      const account = { id: books.next("acct"), ...form, metadata: metadataOf(form) }
      made.set(account.id, account)
      // It takes nothing until whoever it is for has said who they are.
      shut.set(account.id, "disabled")
      return show(account.id)
    },

    /** Somebody opens a link, and fills in the form behind it to its end. Where they are sent. */
    fillIn: (url: string): string => {
      const link = links.find((each) => each.url === url)
      if (link === undefined) throw new Error(`No form at ${url}`)
      if (link.isOpened === true || Number(link.expires_at) <= books.now()) return String(link.refresh_url)
      link.isOpened = true
      const id = String(link.account)
      if (made.has(id)) shut.delete(id)
      books.emit("account.updated", show(id), id)
      return String(link.return_url)
    },

    link: (form: Json): Json => {
      const account = String(form.account)
      if (shut.get(account) === "closed") throw missingObject("account")
      for (const url of [form.return_url, form.refresh_url]) {
        if (!URL.canParse(String(url))) throw invalid("url_invalid")
      }
      const link = { object: "account_link", created: books.now(), expires_at: books.now() + 300 }
      const url = `https://connect.stripe.test/setup/${books.next("link")}`
      links.push({ ...link, ...form, url })
      return { ...link, url }
    }
  }
}

export type Accounts = ReturnType<typeof makeAccounts>
