import type { FromSchema } from 'json-schema-to-ts'

export const lockSchema = {
  $id: 'Lock',
  type: 'object',
  description: 'What keeps a user from signing in.',
  additionalProperties: false,
  required: ['user_id', 'locked', 'failures', 'retry_at'],
  properties: {
    user_id: { type: 'string', format: 'uuid' },
    locked: {
      type: 'boolean',
      description:
        'After 90 failures in a row: even the right password is refused, until somebody unlocks the user or sets another. Only browsers in which the user has signed in before have ten more tries.',
    },
    failures: { type: 'integer', description: 'How many wrong passwords came in a row, from wherever.' },
    retry_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description:
        'Until then tries from browsers that are not known are turned away, whatever network they come from; null: they are not, but a network with many failures of its own may have to wait for up to 15 minutes.',
    },
  },
} as const

export type Lock = FromSchema<typeof lockSchema>
