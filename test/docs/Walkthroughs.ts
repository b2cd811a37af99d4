export interface Walkthrough {
  readonly path: string
  /** What its commands print, in this order. */
  readonly prints: ReadonlyArray<RegExp>
  /** What its receiver prints meanwhile. */
  readonly receives?: ReadonlyArray<RegExp>
}

/** The documents whose commands are run on the demo, as they are printed. */
export const walkthroughs: ReadonlyArray<Walkthrough> = [
  {
    path: "docs/guides/serve.md",
    prints: [
      /^ +slug +riverside-sandbox$/m,
      /^secret +alm_live_/m,
      /^secret +alm_test_/m,
      /^key_\S+ +Website +WRITE /m,
      /^There are none\.$/m,
      /api_keys\.create +key_/,
      /^received +false$/m,
      /^dry_run +true$/m,
      /^dry_run +false$/m
    ]
  },
  {
    path: "docs/guides/pages.md",
    prints: [/^fund_abn +51824753556$/m, /^accent_color +#7a1f5c$/m, /^is_deductible +true$/m, /"embed_token": *"\w+"/]
  },
  { path: "docs/guides/deploy.md", prints: [/^\d{4}-\d\d:[A-Za-z\d+/]{43}=$/m] },
  {
    path: "README.md",
    prints: [
      /^status +SUCCEEDED$/m,
      /"type": "donation.succeeded"/,
      /"scope":"WRITE"/,
      /HTTP\/1.1 201 Created\r$/m,
      /"status":\s*"CONFIRMED"/
    ],
    receives: [/donor.created dnr_/, /donation.created don_/, /donation.succeeded don_/]
  },
  {
    path: "docs/guides/sets.md",
    prints: [
      /^ +recipient_org_slug +heron-sandbox$/m,
      /^roal_\S+ +Heron Rescue +heron-sandbox/m,
      /^ +amount_mode +SUGGESTED$/m,
      /^status +SUCCEEDED$/m,
      /^rsp_\S+ +dnr_\S+ +SUCCEEDED +\S+ +4000 /m,
      /^ +pal_\S+ +roal_\S+ +3000 +2925 /m,
      /^trf_\S+ +pal_\S+ +- +1 +1 +2925 +AUD /m,
      /^don_\S+ +dnr_\S+ +\S+ +3000 +AUD +RECOMMENDATION_SET /m,
      /^payment_status +SUCCEEDED$/m,
      /^mail_\S+ +introduction +intr_/m,
      /^status +VIEWED$/m,
      /^status +ACCEPTED$/m,
      /^status +LINKED$/m,
      /^accepted_recipient_org_account_link_id +roal_/m,
      /^roal_\S+ +Lighthouse +lighthouse-sandbox +Main/m,
      /introduction.linked/
    ]
  },
  {
    path: "docs/guides/payments.md",
    prints: [
      /^methods +card, payto$/m,
      /^frequencies +MONTHLY, ANNUALLY$/m,
      /^status +SUCCEEDED$/m,
      /^don_\S+ +dnr_\S+ +CONFIRMED +5000 /m,
      /^amount_cents +2500$/m,
      /^recommendation_set_payment_id +rsp_/m,
      /^subscription_id +sub_/m,
      /^sub_\S+ +dnr_\S+ +ACTIVE +2000 /m,
      /^ +\S+ +2000 +PAID +chg_\S+ +0 /m,
      /^ +\S+ +2000 +PAID +chg_\S+ +1 .* don_\S+ +don_/m,
      /^cancel_reason +cancellation_requested$/m,
      /^text +May we write to you\?$/m,
      /^amount_cents +3000$/m,
      /^consent_given +true$/m,
      /^rfd_\S+ +don_\S+ +1000 +Given twice /m,
      /^chg_\S+ +don_\S+ +card +2000 +AUD +FAILED +insufficient_funds /m,
      /^org_\S+ +AUD +donor -?\d+ +-$/m,
      /^There are none.$/m
    ]
  },
  {
    path: "docs/guides/bank-transfers.md",
    prints: [
      /"status": "WAITING"/,
      /"reference": "[0-9A-Z]{8}"/,
      /^matched +1$/m,
      /^crd_\S+ +\S+ +2500 +AUD +CASH DEPOSIT /m,
      /^don_\S+ +dnr_\S+ +CONFIRMED +5000 /m,
      /^status +RESOLVED$/m,
      /^refunded_amount_cents +2000$/m,
      /^processor_reference +NPP-7731$/m,
      /^org_\S+ +AUD +donor -?\d+ +-$/m
    ]
  },
  {
    path: "docs/guides/test-processor.md",
    prints: [
      /^status +PROCESSING$/m,
      /^status +succeeded$/m,
      /^ +test_chg_\S+_d1 +2000 +lost /m,
      /^chg_\S+ +au_becs_debit /m,
      /^ +dsp_\S+ +chg_\S+ +test_chg_\S+_d1 +2000 +LOST /m,
      /^ahead_seconds +6047\d{3}$/m,
      /^mandate +DECLINING$/m,
      /^status +PAST_DUE$/m,
      /^ +\S+ +2000 +OPEN /m,
      /^ +\S+ +2000 +PAID /m,
      /^evt_\S+ +subscription.payment_failed /m
    ]
  },
  {
    path: "docs/guides/webhooks.md",
    prints: [
      /"source":"MANUAL","status":"CONFIRMED"/,
      /^received +true$/m,
      /^dlv_\S+ +donation.succeeded +DELIVERED +1 /m,
      /^ +1 +\S+ +204 /m,
      /^replay_of +dlv_/m,
      /^replayable +0$/m,
      /"secret":"almwh_/
    ],
    receives: [/donation.created don_/, /donation.succeeded don_/, /webhook_endpoint.test/]
  }
]

/** Whether the commands of a document are run by a test of their own: `backup.slow.test.ts`, `examples.slow.test.ts`. */
export const isRunElsewhere = (path: string): boolean =>
  path === "docs/guides/backup.md" || path.startsWith("examples/")
