import type { Endpoint, GroupName, Line, OperationName } from "./DeclaredTypes.ts"

/** A line for each operation that the API declares. A missing, additional or wrong line does not compile. */
type Table = {
  readonly [G in GroupName]: { readonly [N in OperationName<G>]: Line<Endpoint<G, N>> }
}

/** Every operation: its method, its path relative to `/api/v1`, and whether it takes a body or a query. */
export const operations = {
  meta: {
    health: "GET /health",
    whoami: "GET /whoami"
  },
  organisations: {
    readOwn: "GET /organisations/me",
    updateOwn: "PATCH /organisations/me body",
    list: "GET /organisations query",
    read: "GET /organisations/:id"
  },
  sandbox: {
    read: "GET /sandbox",
    advance: "POST /sandbox/advance body"
  },
  donors: {
    create: "POST /donors body",
    list: "GET /donors query",
    read: "GET /donors/:id",
    update: "PATCH /donors/:id body",
    archive: "DELETE /donors/:id",
    merge: "POST /donors/:id/merge body"
  },
  disclosures: {
    list: "GET /disclosures query",
    read: "GET /disclosures/:id"
  },
  "contact-logs": {
    create: "POST /donors/:id/contact-logs body",
    list: "GET /donors/:id/contact-logs query",
    read: "GET /donors/:id/contact-logs/:log_id",
    update: "PATCH /donors/:id/contact-logs/:log_id body",
    delete: "DELETE /donors/:id/contact-logs/:log_id"
  },
  donations: {
    create: "POST /donations body",
    list: "GET /donations query",
    read: "GET /donations/:id",
    refund: "POST /donations/:id/refund body",
    listRefunds: "GET /donations/:id/refunds query"
  },
  "revenue-codes": {
    create: "POST /revenue-codes body",
    list: "GET /revenue-codes query",
    read: "GET /revenue-codes/:id",
    update: "PATCH /revenue-codes/:id body",
    archive: "DELETE /revenue-codes/:id"
  },
  subscriptions: {
    list: "GET /subscriptions query",
    read: "GET /subscriptions/:id",
    listInvoices: "GET /subscriptions/:id/invoices query",
    cancel: "POST /subscriptions/:id/cancel"
  },
  forms: {
    create: "POST /forms body",
    list: "GET /forms query",
    read: "GET /forms/:id",
    update: "PATCH /forms/:id body",
    archive: "DELETE /forms/:id",
    mintLink: "POST /forms/:id/personalised-links body"
  },
  "checkout-links": {
    create: "POST /checkout-links body",
    list: "GET /checkout-links query",
    read: "GET /checkout-links/:id",
    update: "PATCH /checkout-links/:id body",
    cancel: "POST /checkout-links/:id/cancel",
    archive: "DELETE /checkout-links/:id"
  },
  "recommendation-sets": {
    create: "POST /recommendation-sets body",
    list: "GET /recommendation-sets query",
    read: "GET /recommendation-sets/:id",
    update: "PATCH /recommendation-sets/:id body",
    archive: "DELETE /recommendation-sets/:id",
    deactivate: "POST /recommendation-sets/:id/deactivate",
    listPayments: "GET /recommendation-sets/:id/payments query",
    mintLink: "POST /recommendation-sets/:id/personalised-links body",
    readPayment: "GET /recommendation-set-payments/:id",
    refundPayment: "POST /recommendation-set-payments/:id/refund body"
  },
  "recipient-accounts": {
    link: "POST /recipient-accounts body",
    list: "GET /recipient-accounts query",
    read: "GET /recipient-accounts/:id",
    update: "PATCH /recipient-accounts/:id body",
    deactivate: "DELETE /recipient-accounts/:id"
  },
  introductions: {
    send: "POST /introductions body",
    list: "GET /introductions query",
    read: "GET /introductions/:id",
    resendEmail: "POST /introductions/:id/resend_email",
    revoke: "DELETE /introductions/:id"
  },
  campaigns: {
    list: "GET /campaigns query",
    read: "GET /campaigns/:id",
    readStats: "GET /campaigns/:id/stats"
  },
  intelligence: {
    readWorklist: "GET /intelligence/worklist",
    readDonor: "GET /intelligence/donors/:donor_id"
  },
  segments: {
    list: "GET /segments"
  },
  "webhook-endpoints": {
    create: "POST /webhook-endpoints body",
    list: "GET /webhook-endpoints query",
    read: "GET /webhook-endpoints/:id",
    update: "PATCH /webhook-endpoints/:id body",
    delete: "DELETE /webhook-endpoints/:id",
    rotateSecret: "POST /webhook-endpoints/:id/rotate_secret body"
  },
  "webhook-deliveries": {
    list: "GET /webhook-deliveries query",
    read: "GET /webhook-deliveries/:id",
    replay: "POST /webhook-deliveries/:id/replay"
  },
  events: {
    list: "GET /events query",
    read: "GET /events/:id"
  }
} as const satisfies Table
