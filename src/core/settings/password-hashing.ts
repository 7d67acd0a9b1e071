import { integer, type Settings } from './kinds.ts'

export const passwordHashing = {
  hashConcurrency: {
    name: 'ROLLBOOK_HASH_CONCURRENCY',
    kind: integer(0, 256),
    default: '0',
    why: 'Lower it if other work shares the machine. `0` means one per core; more does not help.',
  },
  hashQueue: {
    name: 'ROLLBOOK_HASH_QUEUE',
    kind: integer(1, 100_000),
    default: '256',
    why: 'Raise it if bursts of new passwords should wait longer for a core; lower it if they should get 503 sooner.',
  },
} as const satisfies Settings
