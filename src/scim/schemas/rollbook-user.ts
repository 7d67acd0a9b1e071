/** The extension of User for what only Rollbook has. */
import { rollbookUserUrn } from '../protocol/urns.ts'
import { type Schema, simple } from './attribute.ts'

export const rollbookUserSchema: Schema = {
  id: rollbookUserUrn,
  name: 'RollbookUser',
  description: 'Rollbook User',
  attributes: [
    simple(
      'expiresAt',
      'dateTime',
      'The end date: from this instant on the user is refused everywhere, as if not active.',
    ),
  ],
}
