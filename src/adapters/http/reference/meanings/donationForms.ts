import { Limits } from "../../../../domain/kernel/Limits.ts"

const ofRecords = (
  records: ReadonlyArray<string>,
  meanings: Readonly<Record<string, string>>
): ReadonlyArray<readonly [string, string]> =>
  records.flatMap((record) => Object.entries(meanings).map(([field, said]) => [`${record}.${field}`, said] as const))

const forms = ofRecords(["DonationForm", "NewDonationForm", "DonationFormPatch"], {
  name: "Name of the form, for the organisation itself.",
  status: "Where the form stands.",
  title: "Heading of the page; the name when not given.",
  description: "What donors are told of the appeal.",
  thank_you_message: "What donors are told once they gave.",
  disclaimer_text: "Small print of the page.",
  suggested_amounts_cents: `1 to ${Limits.formSuggestedAmounts} amounts to choose from, ascending, in minor units.`,
  allow_custom_amount: "Whether donors may enter another amount than the suggested ones.",
  default_amount_cents:
    "The amount that is chosen at first, in minor units; not below the minimum nor above the maximum.",
  minimum_amount_cents: "The least that donors may give, in minor units; null for no limit.",
  maximum_amount_cents: "The most that donors may give, in minor units; null for no limit.",
  allow_recurring: "Whether donors may give regularly.",
  recurring_frequencies: "How often a regular gift may be made; at least one where regular gifts are allowed.",
  default_cadence: "Which side opens first where regular gifts are allowed.",
  address_visibility: "Whether the page asks for the donor's address.",
  phone_visibility: "Whether the page asks for the donor's telephone number.",
  embed_token: "Names the form where another site embeds it; null for none.",
  revenue_code:
    "Text of the revenue code that gifts are booked under; a new one is made. Ignored beside `revenue_code_id`.",
  revenue_code_id: "Revenue code that gifts are booked under; wins over `revenue_code`."
})

const links = ofRecords(["CheckoutLink", "NewCheckoutLink", "CheckoutLinkPatch"], {
  status: "Where the link stands; EXPIRED as soon as `expires_at` has passed.",
  source: "Whether staff made the link, or a key of the organisation.",
  code: "The secret of the address.",
  donor_id: "Who is asked; null where the donor is found or made when the gift is.",
  donor_email: "E-mail address of the donor.",
  donor_first_name: "Given name of the donor.",
  donor_last_name: "Family name of the donor.",
  donor_phone: "Telephone number of the donor.",
  donation_id: "The gift that completed the link; null before.",
  amount_cents: "What is asked for, in minor units of the currency.",
  currency: "Currency, the organisation's when not given.",
  description: "What the donor is told that the amount is for.",
  payment_methods: "How the link may be paid; by card when not given.",
  processor_integration_id: "The organisation's processor account that is paid; its usual one when null.",
  revenue_code:
    "Text of the revenue code that the gift is booked under; a new one is made. Ignored beside `revenue_code_id`.",
  revenue_code_id: "Revenue code that the gift is booked under; wins over `revenue_code`.",
  expires_at:
    "From when on the link takes no payment, in the future; null for never. A gift in progress is waited for.",
  visit_count: "How often the page was opened.",
  last_visited_at: "When the page was opened last; null before."
})

const personalised = ofRecords(["PersonalisedFormLink", "PersonalisedSetLink", "NewPersonalisedLink"], {
  donor_id: "The donor whom the link is for: of the organisation, and not archived.",
  form_id: "The form that the link opens.",
  expires_at: "The end of the link's life, unless the donor is archived, merged or edited before."
})

/** What the fields of forms, checkout links and personalised links mean. service-spec, Donation form, Checkout link. */
export const donationFormMeanings: Readonly<Record<string, string>> = Object.fromEntries([
  ...forms,
  ...links,
  ...personalised
])
