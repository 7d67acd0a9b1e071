import { integer, isoDate, kind, line, oneOf, type Settings, switchedOn } from './kinds.ts'

/** Webhook deliveries are retried and can be repeated for up to 30 days, so their events must be kept that long. */
const eventsDays = kind('0 or a whole number from 30 to 36500', (text) => {
  const value = /^(0|[1-9]\d{1,4})$/.test(text) ? Number(text) : -1
  return value === 0 || (value >= 30 && value <= 36_500) ? value : undefined
})

export const behaviour = {
  productName: {
    name: 'ROLLBOOK_PRODUCT_NAME',
    kind: line(64),
    default: 'Rollbook',
    why: 'Set it to the name of your product. Pages show it, and passwords made of it are refused.',
  },
  environmentName: {
    name: 'ROLLBOOK_ENVIRONMENT_NAME',
    kind: line(32),
    default: undefined,
    why:
      'Set it if there are several deployments, such as `staging` and `production`: the console and the docs page show it as a ' +
      'coloured tag, red for production, amber for staging and tests, otherwise blue.',
  },
  requireIfMatch: {
    name: 'ROLLBOOK_REQUIRE_IF_MATCH',
    kind: switchedOn,
    default: 'false',
    why:
      'Set it to `true` if clients must not overwrite changes they have not seen: changing an existing user without ' +
      'If-Match then returns 428.',
  },
  keyRotationOverlapSeconds: {
    name: 'ROLLBOOK_KEY_ROTATION_OVERLAP_SECONDS',
    kind: integer(0, 2_592_000),
    default: '86400',
    why: 'Change it if clients need more or less than a day to switch to a rotated API key. `0` ends the old key at once.',
  },
  idempotencyHours: {
    name: 'ROLLBOOK_IDEMPOTENCY_HOURS',
    kind: integer(1, 720),
    default: '24',
    why:
      'Raise it if clients repeat requests later than a day after the first attempt; lower it if the stored responses ' +
      'take too much space.',
  },
  confirmDate: {
    name: 'ROLLBOOK_CONFIRM_DATE',
    kind: isoDate,
    default: undefined,
    why:
      "Set it to today's date, such as 2026-11-22, if the machine was off for more than an hour or its clock was wrong, " +
      'and old data should be deleted without waiting a day. It is valid on that day and the next.',
  },
  auditDays: {
    name: 'ROLLBOOK_AUDIT_DAYS',
    kind: integer(0, 36_500),
    default: '400',
    why:
      'Change it if audit records must be kept for a longer or shorter time. They record who did what from which ' +
      'address. `0` keeps them forever.',
  },
  eventsDays: {
    name: 'ROLLBOOK_EVENTS_DAYS',
    kind: eventsDays,
    default: '90',
    why:
      'Raise it if clients that follow the changes may stop for more than 90 days and still continue; lower it if the ' +
      'events take too much space. Older events are removed once later ones replace them. `0` keeps all of them ' +
      'forever.',
  },
  deletionGraceDays: {
    name: 'ROLLBOOK_DELETION_GRACE_DAYS',
    kind: integer(0, 3650),
    default: '7',
    why:
      'For how many days deleted users can be restored before they are erased (docs/delete-and-erase.md). `0` erases ' +
      'them at once. A change does not affect users who are already deleted.',
  },
  accountDeletion: {
    name: 'ROLLBOOK_ACCOUNT_DELETION',
    kind: oneOf('off', 'on'),
    default: 'off',
    why:
      'Set it to `on` so that users may delete their own account on the account page (docs/account-page.md#deletion). ' +
      'Administrators can restore them as other deleted users.',
  },
} as const satisfies Settings
