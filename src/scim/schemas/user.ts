/** The User schema (RFC 7643 §4.1 and §8.7.1). */
import { userUrn } from '../protocol/urns.ts'
import { type Attribute, complex, type Schema, simple, text } from './attribute.ts'

/** The sub-attributes of a list of addresses, numbers and the like (RFC 7643 §2.4). */
function valueList(value: Attribute, types: readonly string[]): Attribute[] {
  return [
    value,
    text('display', 'A name of the value for people.'),
    text('type', 'What the value is for.', types.length > 0 ? { canonicalValues: types } : {}),
    simple('primary', 'boolean', 'Whether this is the preferred value. At most one is.'),
  ]
}

const list = { multiValued: true } as const

export const userSchema: Schema = {
  id: userUrn,
  name: 'User',
  description: 'User Account',
  attributes: [
    text('userName', 'The name with which the user signs in. Unique, ignoring case.', {
      required: true,
      uniqueness: 'server',
    }),
    complex('name', 'The parts of the name of the user.', [
      text('formatted', 'The full name, as it is shown.'),
      text('familyName', 'The family name, or last name.'),
      text('givenName', 'The given name, or first name.'),
      text('middleName', 'The middle name.'),
      text('honorificPrefix', 'The title before the name, such as Dr.'),
      text('honorificSuffix', 'The suffix after the name, such as III.'),
    ]),
    text('displayName', 'The name of the user that people see.'),
    text('nickName', 'How the user is called in daily life.'),
    simple('profileUrl', 'reference', 'The address of a page about the user.', { referenceTypes: ['external'] }),
    text('title', 'The title, such as Vice President.'),
    text('userType', 'The relation to the organization, such as Contractor or Employee.'),
    text('preferredLanguage', 'The preferred languages, as in an Accept-Language header.'),
    text('locale', 'The locale of the user, such as en-US.'),
    text('timezone', 'The time zone of the user, such as Europe/Berlin.'),
    simple('active', 'boolean', 'If false, the user cannot sign in and is refused everywhere at once.'),
    text('password', 'The password of the user. It is never returned.', {
      caseExact: true,
      mutability: 'writeOnly',
      returned: 'never',
    }),
    complex(
      'emails',
      'The email addresses of the user.',
      valueList(text('value', 'The email address. The main one is unique, ignoring case.', { uniqueness: 'server' }), [
        'work',
        'home',
        'other',
      ]),
      list,
    ),
    complex(
      'phoneNumbers',
      'The phone numbers of the user.',
      valueList(text('value', 'The phone number.'), ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
      list,
    ),
    complex(
      'ims',
      'The instant messaging addresses of the user.',
      valueList(text('value', 'The address.'), ['aim', 'gtalk', 'icq', 'xmpp', 'msn', 'skype', 'qq', 'yahoo']),
      list,
    ),
    complex(
      'photos',
      'The addresses of pictures of the user.',
      valueList(
        simple('value', 'reference', 'The address of the picture.', { referenceTypes: ['external'], caseExact: true }),
        ['photo', 'thumbnail'],
      ),
      list,
    ),
    complex(
      'addresses',
      'The postal addresses of the user.',
      [
        text('formatted', 'The full address, as it is shown.'),
        text('streetAddress', 'The street, with house number or post box.'),
        text('locality', 'The city.'),
        text('region', 'The state or region.'),
        text('postalCode', 'The postal code.'),
        text('country', 'The country, as a code of ISO 3166-1 with two letters.'),
        text('type', 'What the address is for.', { canonicalValues: ['work', 'home', 'other'] }),
        simple('primary', 'boolean', 'Whether this is the preferred address. At most one is.'),
      ],
      list,
    ),
    complex(
      'groups',
      'The groups of the user. To change them, change the members of the group.',
      [
        simple('value', 'string', 'The id of the group.', { mutability: 'readOnly', caseExact: true }),
        simple('$ref', 'reference', 'The address of the group.', {
          mutability: 'readOnly',
          caseExact: true,
          referenceTypes: ['Group'],
        }),
        text('display', 'The name of the group.', { mutability: 'readOnly' }),
        text('type', 'How the user belongs to the group.', {
          mutability: 'readOnly',
          canonicalValues: ['direct', 'indirect'],
        }),
      ],
      { multiValued: true, mutability: 'readOnly' },
    ),
    complex('entitlements', 'What the user may have.', valueList(text('value', 'The entitlement.'), []), list),
    complex('roles', 'The roles of the user elsewhere.', valueList(text('value', 'The role.'), []), list),
    complex(
      'x509Certificates',
      'The certificates of the user.',
      valueList(simple('value', 'binary', 'The certificate, DER in base64.', { caseExact: true }), []),
      list,
    ),
  ],
}
