const members = (member: string, changes: ReadonlyArray<string>): ReadonlyArray<string> =>
  changes.map((change) => `${member} ${change}`)

/** Wrong adapters that no answer of their port tells from the right one, as `Port.member change`, by the reason why. */
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
    "An election is taken out by its jurisdiction and the day of its writ, whatever else is handed over with them.",
    members("ElectionStore.remove", ["argument 1 name fixed", "argument 1 polling_on fixed"])
  ],
  [
    "Where nothing is archived, a list is the same with what is archived and without.",
    ["IntroductionStore.list argument 2 archived fixed"]
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
    "A charge names its mandate and its account: the test processor goes by those, whatever is handed over beside them.",
    [
      ...["begin", "confirm", "chargeMandate", "fetchCharge"].map(
        (member) => `PaymentProcessor.${member} argument 1 mandate fixed`
      ),
      ...["fetchMandate", "revokeMandate", "onboarding.onboard"].map(
        (member) => `PaymentProcessor.${member} argument 1 fixed`
      )
    ]
  ],
  [
    "No link of the test processor is seen when it has expired, and none of its pages needs a key.",
    [
      "PaymentProcessor.onboarding.onboard argument 2 refresh_url fixed",
      ...members("PaymentProcessor.pageKey", ["argument 1 fixed", "answer nothing"])
    ]
  ],
  [
    "Only the processor can sign a notice: whatever else is handed over is refused. The adapters' own tests read signed ones.",
    members("PaymentProcessor.verifyNotice", [
      ...["argument 1 fixed", "argument 1 integration fixed", "argument 1 headers fixed", "argument 1 body fixed"]
    ])
  ],
  [
    "What a processor calls an event, and when it made it, are its own: nothing else that it answers says so.",
    members("PaymentProcessor.noticesSince", [
      ...["event_id is another text", "type is another text", "account is invented", "created_at is 1 ms later"].map(
        (change) => `answer notices each ${change}`
      )
    ])
  ],
  [
    "A place in the log of events is the store's own: no caller compares it with another.",
    ["EventConsumerStore.register answer position is 1 more"]
  ],
  [
    "Charges that were made a moment before may be listed, too: processors count whole seconds.",
    ["PaymentProcessor.listCreated argument 2 −1 ms"]
  ],
  [
    "How long an exchange took is measured by the transport's own clock, which nobody reads to the millisecond.",
    members("WebhookTransport.post", ["answer duration_ms +1", "answer duration_ms −1"])
  ],
  [
    "The instants of holds are compared with each other alone.",
    members("IdempotencyStore.hold", ["argument 3 +1 ms", "argument 3 −1 ms"])
  ],
  [
    "Whether an answer rests sealed shows in its stored bytes, which the stores' own tests read.",
    ["IdempotencyStore.keep argument 4 secret fixed"]
  ]
]
