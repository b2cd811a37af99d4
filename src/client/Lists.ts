import type { Kind } from "../domain/kernel/Listing.ts"
import type { Endpoint, GroupName, OperationName, Query } from "./Declared.ts"

/**
 * What a list's query can say beside `limit` and `starting_after`: filters by their kind, a plain `text` or `flag`, and the
 * names that `sort` takes.
 */
export type Shape = { readonly [name: string]: Kind | "plain text" | "plain flag" | ReadonlyArray<string> }

/** Whether types cannot see the names of a query. */
export type HasOpenQuery<E> = [Query<E>] extends [never] ? false : string extends keyof Query<E> ? true : false

/** Operations whose query is declared with names that types cannot see. */
type ListName<G extends GroupName> = {
  [N in OperationName<G>]: HasOpenQuery<Endpoint<G, N>> extends true ? N : never
}[OperationName<G>]

type Table = {
  readonly [G in GroupName as [ListName<G>] extends [never] ? never : G]: { readonly [N in ListName<G>]: Shape }
}

/**
 * The queries of the lists, for their types alone; nothing of it is loaded. That a list is missing does not compile, that a
 * shape differs from the declaration fails the tests.
 */
export const lists = {
  organisations: { list: {} },
  "recommendation-sets": {
    list: {
      is_active: "boolean",
      amount_mode: "enum",
      expires_at: "timestamp",
      created_at: "timestamp",
      archived: "plain flag"
    },
    listPayments: {
      payment_status: "enum",
      donor_id: "text",
      payment_method_type: "text",
      total_amount_cents: "integer",
      created_at: "timestamp"
    }
  },
  "recipient-accounts": { list: { is_active: "boolean", created_at: "timestamp" } },
  donors: {
    list: {
      email: "text",
      donor_type: "enum",
      created_at: "timestamp",
      updated_at: "timestamp",
      sort: ["created_at", "updated_at", "last_name"],
      archived: "plain flag",
      search: "plain text",
      segment: "plain text"
    }
  },
  "contact-logs": {
    list: {
      contact_method: "enum",
      occurred_at: "timestamp",
      follow_up_open: "boolean",
      follow_up_at: "timestamp",
      follow_up_completed_at: "timestamp",
      created_at: "timestamp",
      include_notes: "plain flag"
    }
  },
  donations: {
    list: {
      status: "enum",
      donor_id: "text",
      source: "enum",
      donation_type: "enum",
      donation_date: "day",
      received_date: "day",
      created_at: "timestamp",
      amount_cents: "integer",
      currency: "text",
      revenue_code_id: "text",
      donation_form_id: "text",
      campaign_id: "text",
      recommendation_set_id: "text",
      subscription_id: "text",
      external_id: "text",
      is_recurring: "boolean"
    },
    listRefunds: { status: "enum", created_at: "timestamp" }
  },
  "revenue-codes": {
    list: { code: "text", namespace: "enum", is_fca: "boolean", created_at: "timestamp", archived: "plain flag" }
  },
  forms: { list: { status: "enum", slug: "text", created_at: "timestamp", archived: "plain flag" } },
  "checkout-links": {
    list: {
      status: "enum",
      source: "enum",
      donor_id: "text",
      donation_id: "text",
      amount_cents: "integer",
      currency: "text",
      revenue_code_id: "text",
      expires_at: "timestamp",
      created_at: "timestamp",
      archived: "plain flag"
    }
  },
  introductions: { list: { status: "enum", external_id: "text", created_at: "timestamp" } },
  campaigns: {
    list: { status: "enum", audience_type: "enum", destination_type: "enum", created_at: "timestamp" }
  },
  webhooks: {
    listEndpoints: { is_active: "boolean", created_at: "timestamp" },
    listDeliveries: { endpoint_id: "text", status: "enum", event_type: "enum" },
    listEvents: { type: "enum", created_at: "timestamp" }
  }
} as const satisfies Table
