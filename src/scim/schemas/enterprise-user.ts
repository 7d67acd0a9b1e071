/** The enterprise extension of User (RFC 7643 §4.3). */
import { enterpriseUserUrn } from '../protocol/urns.ts'
import { complex, type Schema, simple, text } from './attribute.ts'

export const enterpriseUserSchema: Schema = {
  id: enterpriseUserUrn,
  name: 'EnterpriseUser',
  description: 'Enterprise User',
  attributes: [
    text('employeeNumber', 'The number of the user in the organization.'),
    text('costCenter', 'The cost center of the user.'),
    text('organization', 'The organization of the user.'),
    text('division', 'The division of the user.'),
    text('department', 'The department of the user.'),
    complex('manager', 'The manager of the user.', [
      simple('value', 'string', 'The id of the manager.', { caseExact: true }),
      simple('$ref', 'reference', 'The address of the manager.', { caseExact: true, referenceTypes: ['User'] }),
      text('displayName', 'The name of the manager.', { mutability: 'readOnly' }),
    ]),
  ],
}
