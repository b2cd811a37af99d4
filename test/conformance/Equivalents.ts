const members = (member: string, changes: ReadonlyArray<string>): ReadonlyArray<string> =>
  changes.map((change) => `${member} ${change}`)

/** Wrong adapters that keep every promise of their port, as `Port.member change`, by the reason why they do. */
export const equivalents: ReadonlyArray<readonly [reason: string, wrongs: ReadonlyArray<string>]> = [
  [
    "A lease of no time is over at once, and so is one of a millisecond less.",
    ["DeliveryStore.claim argument 1 lease_millis −1", "EventConsumerStore.claim argument 1 lease_millis −1"]
  ],
  [
    "What ends in a millisecond is found now instead of then: no caller holds the store's clock still.",
    ["DeliveryStore.expired argument 1 over_millis −1", "EventConsumerStore.expired argument 2 over_millis −1"]
  ],
  [
    "Nothing that is written through a port cannot be read: there are such rows where somebody damaged them, as the stores' own tests do.",
    [
      ...members("DeliveryStore.setAside", [
        "argument 1 fixed",
        "argument 1 +1",
        "argument 1 −1",
        "answer nothing",
        "answer without the last"
      ]),
      ...members("MailOutbox.claim", ["answer unreadable nothing", "answer unreadable without the last"])
    ]
  ],
  [
    "There is something to do where another version of the program wrote the words; the stores' own tests write such.",
    members("DonorStore.reindex", ["argument 1 fixed", "argument 1 +1", "argument 1 −1", "answer −1"])
  ],
  [
    "Transactions in memory come one after the other, and holding shows in nothing. The suite sees it where they go on side by side.",
    [
      "DonorStore.holdEmail never called",
      ...members("DisclosureStore.hold", [
        "argument 1 fixed",
        "argument 1 organisation_id fixed",
        "argument 1 donor_id fixed",
        "argument 1 jurisdiction fixed",
        "argument 1 starts_on fixed",
        "nothing done"
      ])
    ]
  ],
  [
    "An election is taken out by its jurisdiction and the day of its writ, whatever else is handed over with them.",
    members("ElectionStore.remove", ["argument 1 name fixed", "argument 1 polling_on fixed"])
  ],
  [
    "Where nothing is archived, a list is the same with what is archived and without.",
    ["ContactLogStore", "DonationStore", "IntroductionStore", "WebhookEndpointStore"].map(
      (store) => `${store}.list argument 2 archived fixed`
    )
  ],
  [
    "The bucket beside an answer is the limiter's own, and its time counts from anywhere: no caller reads it.",
    ["take", "takeAnonymous"].flatMap((member) =>
      members(`RateLimiter.${member}`, [
        ...["nothing", "+1", "−1"].map((change) => `answer bucket tokens ${change}`),
        ...["nothing", "×½", "×10"].map((change) => `answer bucket at ${change}`)
      ])
    )
  ],
  [
    "Where a mail arrives shows in no answer: the transports' own tests read what came.",
    ["MailTransport.send argument 1 fixed"]
  ],
  [
    "Whether an answer rests sealed shows in its stored bytes, which the stores' own tests read.",
    ["IdempotencyStore.keep argument 4 secret fixed"]
  ]
]
