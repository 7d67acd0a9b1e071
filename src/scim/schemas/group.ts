/** The Group schema (RFC 7643 §4.2). Only the RFC's examples have a member's `display`, but clients use it. */
import { groupUrn } from '../protocol/urns.ts'
import { complex, type Schema, simple, text } from './attribute.ts'

export const groupSchema: Schema = {
  id: groupUrn,
  name: 'Group',
  description: 'Group',
  attributes: [
    text('displayName', 'The name of the group. Unique, ignoring case.', { required: true, uniqueness: 'server' }),
    complex(
      'members',
      'The users in the group.',
      [
        simple('value', 'string', 'The id of the user.', { mutability: 'immutable', caseExact: true }),
        simple('$ref', 'reference', 'The address of the user.', {
          mutability: 'immutable',
          caseExact: true,
          referenceTypes: ['User'],
        }),
        text('type', 'The type of the member.', { mutability: 'immutable', canonicalValues: ['User'] }),
        text('display', 'The name of the user.', { mutability: 'readOnly' }),
      ],
      { multiValued: true },
    ),
  ],
}
