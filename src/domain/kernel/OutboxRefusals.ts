// The words of the refusals of endpoints and of what is sent to them, as `Refusals` has those of the other machines.

const isActive = "It is active already."

/** The words for what a machine refuses of a webhook endpoint. */
export const webhookEndpoint = {
  record: "A webhook endpoint",
  can: {
    Disable: "be disabled",
    DisableFailing: "be disabled for its failures",
    Enable: "be enabled",
    Delete: "be deleted"
  },
  instead: {
    ACTIVE: isActive,
    DISABLED: "It is disabled already.",
    DELETED: "That is final: register a new endpoint."
  },
  unless: {
    "failures have run unbroken for five days and include a delivery that used all six attempts":
      "The endpoint's failures have not run unbroken for five days with a delivery that used all six attempts. Disable it as its owner."
  }
}

const replay = "Replay it to send its event again."

/** The words for what a machine refuses of a webhook delivery. */
export const delivery = {
  record: "A webhook delivery",
  can: {
    Deliver: "be delivered",
    Retry: "be tried again",
    Exhaust: "fail after its last attempt",
    Interrupt: "be interrupted",
    GiveUp: "be given up after its last interruption",
    Abandon: "be abandoned"
  },
  instead: { DELIVERED: `It has arrived. ${replay}`, FAILED: `No attempt is left. ${replay}` },
  unless: {
    "attempts are left; the next one is due on the schedule": `No attempt of this delivery is left. ${replay}`,
    "this was the sixth attempt": "Attempts of this delivery are left. Wait for the next one.",
    "interruptions are left; the next attempt is due at once after the first, then on the schedule's delays": `This delivery was interrupted too often. ${replay}`,
    "this was the sixth interruption": "Attempts of this delivery are left. Wait for the next one."
  }
}

/** The words for what a machine refuses of an event of a consumer. */
export const consumedEvent = {
  record: "A consumer's event",
  can: {
    Handle: "be handled",
    Retry: "be tried again",
    Park: "be parked after its last attempt",
    Interrupt: "be interrupted",
    GiveUp: "be parked after its last interruption",
    Resume: "be tried anew",
    Skip: "be skipped"
  },
  instead: {
    PARKED: "It is parked: try it anew, or skip it.",
    HANDLED: "It was handled already.",
    SKIPPED: "It was skipped already."
  },
  unless: {
    "attempts are left; the next one is due on the schedule":
      "No attempt of this event is left. Try it anew by hand, or skip it.",
    "this was the sixth attempt": "Attempts of this event are left. Wait for the next one.",
    "interruptions are left; the next attempt is due at once after the first, then on the schedule's delays":
      "This event was interrupted too often. Try it anew by hand, or skip it.",
    "this was the sixth interruption": "Attempts of this event are left. Wait for the next one."
  }
}
