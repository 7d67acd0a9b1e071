import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { describe, it } from 'node:test'
import { assertCheap } from '../../../../test/processor-time.ts'
import {
  encode,
  encrypted,
  type Parts,
  respond,
  responseXml,
  signElement,
  signingKey,
} from '../../../../test/saml-provider.ts'
import { readCertificate } from '../connections/kinds/certificates.ts'
import { enveloped, exclusiveC14n } from './algorithms.ts'
import { SamlRefusal } from './refusal.ts'
import { type Reading, readResponse } from './response.ts'

const key = signingKey()
const otherKey = signingKey()
const ours = signingKey()
const now = Date.parse('2026-11-24T12:00:00.000Z')
const acsUrl = 'https://app.example.com/auth/connections/1/acs'
const reading: Reading = {
  issuer: 'https://idp.example.com/id',
  audience: 'https://app.example.com/auth/connections/1/metadata',
  acsUrl,
  requestId: '_request',
  needsNameId: true,
  now,
  certificates: [key.certificate],
  decryptionKey: ours.privateKey,
}
const parts: Parts = { ...reading, now, requestId: '_request', attributes: { email: 'ada@example.com' } }

const honest = (more: Partial<Parts> = {}) => respond({ ...parts, ...more }, { key })
const read = (xml: string, more: Partial<Reading> = {}) => readResponse(encode(xml), { ...reading, ...more })

/** The reason; the subject if it was not refused. */
function outcome(xml: string, more: Partial<Reading> = {}): string {
  try {
    return `read ${read(xml, more).subject.nameId}`
  } catch (error) {
    if (!(error instanceof SamlRefusal)) throw error
    return error.reason
  }
}

function refusalOf(xml: string): SamlRefusal {
  try {
    read(xml)
  } catch (error) {
    if (error instanceof SamlRefusal) return error
    throw error
  }
  assert.fail('It was read.')
}

const signatureOf = (xml: string) => /<ds:Signature[\s\S]*?<\/ds:Signature>/.exec(xml)?.[0] ?? ''
const assertionOf = (xml: string) => /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml)?.[0] ?? ''
const withoutSignature = (xml: string) => xml.replace(signatureOf(xml), '')
const asAdmin = (xml: string) => xml.replace('subject-1', 'admin')
const withNewId = (xml: string) => xml.replace(/ID="_\w/, 'ID="_evil')
const evilOf = (xml: string) => withNewId(asAdmin(withoutSignature(xml)))

describe('a SAML response', () => {
  it('is read if the response, the assertion or both are signed, encrypted or not', () => {
    const oaep11 = { wrapping: 'http://www.w3.org/2009/xmlenc11#rsa-oaep' }
    const twins: Partial<Parts>[] = [
      {},
      { sign: 'response' },
      { sign: 'both' },
      { encryptTo: ours.certificate },
      { encryptTo: ours.certificate, sign: 'response' },
      { encryptTo: ours.certificate, sign: 'both', encryption: oaep11 },
      { encryptTo: ours.certificate, encryption: { method: 'http://www.w3.org/2009/xmlenc11#aes128-gcm' } },
      { changeResponse: (xml) => `<?xml version="1.0" encoding="UTF-8"?>\n<!-- issued by a test -->\n${xml}\n` },
      { change: (xml) => xml.replaceAll('><', '>\r\n  <') },
      { nameId: 'Ünïcødé <&> "quoted"' },
      { change: (xml) => xml.replace('<saml:Conditions', '<!-- between elements --><saml:Conditions') },
      {
        change: (xml) =>
          xml.replace('<saml:Audience>', '<saml:Audience>https://other.example</saml:Audience><saml:Audience>'),
      },
    ]
    for (const twin of twins) {
      const judged = read(honest(twin))
      assert.equal(judged.subject.nameId, twin.nameId ?? 'subject-1', JSON.stringify(twin))
      assert.deepEqual(judged.attributes.get('email'), ['ada@example.com'])
    }
  })

  it('is read with each permitted algorithm, and with any certificate of the connection', () => {
    const more = 'http://www.w3.org/2001/04/xmldsig-more#'
    for (const signatureAlgorithm of [
      `${more}rsa-sha384`,
      `${more}rsa-sha512`,
      'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
    ]) {
      const digestAlgorithm = 'http://www.w3.org/2001/04/xmlenc#sha512'
      const xml = respond(parts, { key, signatureAlgorithm, digestAlgorithm })
      assert.equal(
        outcome(xml, { certificates: [otherKey.certificate, key.certificate] }),
        'read subject-1',
        signatureAlgorithm,
      )
    }
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const elliptic = { ...key, privateKey }
    const xml = respond(parts, { key: elliptic, signatureAlgorithm: `${more}ecdsa-sha256` })
    const certificates = [{ publicKey } as X509Certificate]
    assert.equal(outcome(xml, { certificates }), 'read subject-1')
    assert.equal(outcome(xml), 'signature_invalid')
  })

  const signed = honest()
  const assertion = assertionOf(signed)
  const [original, evil] = [withoutSignature(assertion), evilOf(assertion)]
  const around = (inner: string) => signed.replace(assertion, () => inner)
  const inSignature = (signature: string, inner: string) =>
    signature.replace('</ds:Signature>', `<ds:Object>${inner}</ds:Object></ds:Signature>`)
  const afterIssuer = (xml: string, inner: string) => xml.replace('</saml:Issuer>', `</saml:Issuer>${inner}`)
  const signedWhole = honest({ sign: 'response' })
  const evilWhole = evilOf(signedWhole)

  const wrappings: Record<string, string> = {
    'XSW1: the response in the signature of another one': afterIssuer(
      evilWhole,
      inSignature(signatureOf(signedWhole), withoutSignature(signedWhole)),
    ),
    'XSW2: the response next to the signature of another one': afterIssuer(
      evilWhole,
      withoutSignature(signedWhole) + signatureOf(signedWhole),
    ),
    'XSW3: another assertion before it': around(evil + assertion),
    'XSW3: another assertion after it': around(assertion + evil),
    'XSW4: within another assertion': around(evil.replace('</saml:Assertion>', `${assertion}</saml:Assertion>`)),
    'XSW5: its signature moved to another assertion': around(afterIssuer(evil, signatureOf(assertion)) + original),
    'XSW6: in the signature of another assertion': around(
      afterIssuer(evil, signatureOf(assertion).replace('</ds:Signature>', `${original}</ds:Signature>`)),
    ),
    'XSW7: another assertion in an extension': around(`<samlp:Extensions>${evil}</samlp:Extensions>${assertion}`),
    'XSW7: the assertion in an extension': around(`<samlp:Extensions>${assertion}</samlp:Extensions>${evil}`),
    'XSW8: in an object of the signature': around(afterIssuer(evil, inSignature(signatureOf(assertion), original))),
    'another assertion in another namespace': around(`${assertion}<x:Assertion xmlns:x="urn:x">${evil}</x:Assertion>`),
    'another assertion in an attribute value': around(assertion.replace('ada@example.com', evil)),
    'an encrypted assertion next to it': around(assertion + encrypted(evil, ours.certificate)),
    'another assertion with the same ID': around(asAdmin(original) + assertion),
    'another element with the same ID': signed.replace(
      '<samlp:Status>',
      `<samlp:Status ID="${/ID="(_a\w+)"/.exec(assertion)?.[1]}">`,
    ),
    'the same ID under another name': signed.replace(
      '<samlp:Status>',
      `<samlp:Status id="${/ID="(_a\w+)"/.exec(assertion)?.[1]}">`,
    ),
    'an ID with a prefix': signed.replace('<samlp:Status>', '<samlp:Status samlp:ID="_x">'),
    'the ID twice': around(assertion.replace(' Version=', ' ID="_x" Version=')),
  }
  for (const [name, xml] of Object.entries(wrappings)) {
    it(`is refused: ${name}`, () => {
      assert.match(
        outcome(xml),
        /^(assertion_count|signature_form|signature_missing|message_forbidden|message_malformed)$/,
      )
    })
  }

  const signature = signatureOf(assertion)
  const inSigned = (change: (text: string) => string) => around(assertion.replace(signature, () => change(signature)))
  const hmacSigned = (() => {
    const algorithm = 'http://www.w3.org/2000/09/xmldsig#hmac-sha1'
    return inSigned((text) => {
      const info = /<ds:SignedInfo[\s\S]*<\/ds:SignedInfo>/.exec(text)?.[0] ?? ''
      const forged = info.replace(/(SignatureMethod Algorithm=")[^"]+/, `$1${algorithm}`)
      const value = createHmac('sha1', key.pem).update(forged).digest('base64')
      return text.replace(info, forged).replace(/(<ds:SignatureValue>)[^<]+/, `$1${value}`)
    })
  })()
  const weak = (more: object) => respond(parts, { key, ...more })
  const signatures: [name: string, xml: string, reason: string][] = [
    ['no signature', honest({ sign: 'none' }), 'signature_missing'],
    ['the signature cut out', around(original), 'signature_missing'],
    ['a changed subject', asAdmin(signed), 'signature_invalid'],
    ['a changed attribute', signed.replace('ada@', 'eve@'), 'signature_invalid'],
    ['the key of another provider', respond(parts, { key: otherKey }), 'signature_invalid'],
    [
      'another key, with its certificate in KeyInfo',
      inSigned(() => signatureOf(signElement(original, 'Assertion', { key: otherKey }))),
      'signature_invalid',
    ],
    ['RSA-SHA1', weak({ signatureAlgorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }), 'signature_weak'],
    ['a digest with SHA-1', weak({ digestAlgorithm: 'http://www.w3.org/2000/09/xmldsig#sha1' }), 'signature_weak'],
    ['an HMAC with the certificate as its key', hmacSigned, 'signature_weak'],
    [
      'no signature algorithm',
      inSigned((text) => text.replace(/(SignatureMethod Algorithm=")[^"]+/, '$1')),
      'signature_weak',
    ],
    [
      'a truncated HMAC',
      inSigned((text) =>
        text.replace(
          /(<ds:SignatureMethod[^>]*)\/>/,
          '$1><ds:HMACOutputLength>1</ds:HMACOutputLength></ds:SignatureMethod>',
        ),
      ),
      'signature_form',
    ],
    [
      'ECDSA claimed for an RSA key',
      inSigned((text) => text.replace('#rsa-sha256', '#ecdsa-sha256')),
      'signature_invalid',
    ],
    ['an empty reference', inSigned((text) => text.replace(/URI="[^"]*"/, 'URI=""')), 'signature_form'],
    ['no reference', inSigned((text) => text.replace(/ URI="[^"]*"/, '')), 'signature_form'],
    [
      'a reference to the response',
      inSigned((text) => text.replace(/URI="[^"]*"/, `URI="#${/ID="(_r\w+)"/.exec(signed)?.[1]}"`)),
      'signature_form',
    ],
    [
      'an XPointer',
      inSigned((text) => text.replace(/URI="#([^"]*)"/, 'URI="#xpointer(id(&apos;$1&apos;))"')),
      'signature_form',
    ],
    [
      'two references',
      inSigned((text) => text.replace(/<ds:Reference[\s\S]*<\/ds:Reference>/, '$&$&')),
      'signature_form',
    ],
    [
      'two SignedInfo',
      inSigned((text) => text.replace(/<ds:SignedInfo[\s\S]*<\/ds:SignedInfo>/, '$&$&')),
      'signature_form',
    ],
    ['two signatures', inSigned((text) => text + text), 'signature_form'],
    ['a signature elsewhere', signed.replace('<samlp:Status>', `<samlp:Status>${signature}`), 'signature_form'],
    [
      'a signature in another namespace',
      inSigned((text) => text.replace('xmlns:ds="http://www.w3.org/2000/09/xmldsig#"', 'xmlns:ds="urn:other"')),
      'signature_form',
    ],
    [
      'another canonicalization',
      inSigned((text) =>
        text.replace(
          `CanonicalizationMethod Algorithm="${exclusiveC14n}"`,
          'CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"',
        ),
      ),
      'signature_form',
    ],
    [
      'inclusive canonicalization as transform',
      weak({ transforms: [enveloped, 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'] }),
      'signature_form',
    ],
    ['no canonicalization', weak({ transforms: [enveloped] }), 'signature_form'],
    [
      'an XPath as transform',
      inSigned((text) => text.replace(enveloped, 'http://www.w3.org/TR/1999/REC-xpath-19991116')),
      'signature_form',
    ],
    [
      'a third transform',
      inSigned((text) =>
        text.replace('</ds:Transforms>', `<ds:Transform Algorithm="${exclusiveC14n}"/></ds:Transforms>`),
      ),
      'signature_form',
    ],
    [
      'a comment in the digest',
      inSigned((text) => text.replace('<ds:DigestValue>', '<ds:DigestValue>AAAA<!-- -->')),
      'message_forbidden',
    ],
    [
      'an element in the digest',
      inSigned((text) => text.replace('<ds:DigestValue>', '<ds:DigestValue><x/>')),
      'signature_form',
    ],
    ['an empty digest', inSigned((text) => text.replace(/(<ds:DigestValue>)[^<]*/, '$1')), 'signature_invalid'],
    ['a changed response around a signed one', asAdmin(signedWhole), 'signature_invalid'],
    [
      'a valid response around a broken assertion',
      honest({ sign: 'both', changeResponse: (xml) => xml.replace('ada@', 'eve@') }),
      'signature_invalid',
    ],
  ]
  for (const [name, xml, reason] of signatures) {
    it(`is refused: ${name}`, () => {
      assert.notEqual(xml, signed)
      assert.equal(outcome(xml), reason)
    })
  }

  const w3 = 'http://www.w3.org/'
  const evilInfo = signatureOf(signElement(evil, 'Assertion', { key: otherKey })).match(
    /<ds:SignedInfo[\s\S]*<\/ds:SignedInfo>/,
  )?.[0]
  const inStatus = (attributes: string) => signed.replace('<samlp:Status>', `<samlp:Status ${attributes}>`)
  const id = /ID="(_a\w+)"/.exec(assertion)?.[1]
  /** Attacks on other libraries, as their advisories and tests describe them. */
  const published: [name: string, xml: string, reason: string][] = [
    // xml-crypto, CVE-2025-29774: several SignedInfo.
    [
      'a SignedInfo before the signed one',
      inSigned((text) => text.replace('<ds:SignedInfo', () => `${evilInfo}<ds:SignedInfo`)),
      'signature_form',
    ],
    [
      'a SignedInfo within KeyInfo',
      inSigned((text) => text.replace('</ds:KeyInfo>', () => `${evilInfo}</ds:KeyInfo>`)),
      'signature_form',
    ],
    // xml-crypto, CVE-2025-29775, and its relatives in the other values.
    [
      'a digest split by a comment',
      inSigned((text) => text.replace(/(<ds:DigestValue>.{8})/, '$1<!-- -->')),
      'message_forbidden',
    ],
    [
      'a signature value split by a comment',
      inSigned((text) => text.replace(/(<ds:SignatureValue>.{8})/, '$1<!-- -->')),
      'message_forbidden',
    ],
    [
      'two digests',
      inSigned((text) => text.replace(/<ds:DigestValue>.*?<\/ds:DigestValue>/, '$&$&')),
      'signature_form',
    ],
    ['a truncated digest', inSigned((text) => text.replace(/(<ds:DigestValue>.{4})[^<]*/, '$1')), 'signature_invalid'],
    [
      'an empty signature value',
      inSigned((text) => text.replace(/(<ds:SignatureValue>)[^<]*/, '$1')),
      'signature_invalid',
    ],
    // ruby-saml, CVE-2025-25291 and -25292: two parsers see different documents.
    ['a DOCTYPE with a quoted end', `<!DOCTYPE x [<!NOTATION a PUBLIC "'>]><!-- '">]>${signed}`, 'message_forbidden'],
    [
      'a namespace declared twice with one attribute',
      inStatus('xmlns:a="urn:x" xmlns:b="urn:x" a:ID="1" b:ID="2"'),
      'message_forbidden',
    ],
    [
      'a signature by a default namespace beside the signed one',
      around(
        assertion.replace('<ds:Signature', '<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"/><ds:Signature'),
      ),
      'signature_form',
    ],
    // node-saml, CVE-2025-54419, and samlify, CVE-2025-47949: the signed bytes are not what is read.
    [
      'an unsigned assertion inside the attributes of the signed one',
      around(assertion.replace('</saml:AttributeStatement>', () => `${evil}</saml:AttributeStatement>`)),
      'assertion_count',
    ],
    [
      'the assertion in its own advice',
      around(evil.replace('<saml:AuthnStatement', () => `<saml:Advice>${assertion}</saml:Advice><saml:AuthnStatement`)),
      'assertion_count',
    ],
    ['an assertion in capitals', around(`${assertion}<x:ASSERTION xmlns:x="urn:x"/>`), 'assertion_count'],
    // The attributes with which other libraries find the signed element.
    ['xml:id with the ID of the assertion', inStatus(`xml:id="${id}"`), 'message_forbidden'],
    ['Id with the ID of the assertion', inStatus(`Id="${id}"`), 'message_forbidden'],
    // Transforms that change, choose or run something.
    ...['TR/1999/REC-xslt-19991116', '2002/06/xmldsig-filter2', '2000/09/xmldsig#base64'].map(
      (transform): [string, string, string] => [
        `the transform ${transform}`,
        inSigned((text) => text.replace(enveloped, w3 + transform)),
        'signature_form',
      ],
    ),
    [
      'canonicalization with comments',
      inSigned((text) => text.replaceAll(exclusiveC14n, `${exclusiveC14n}WithComments`)),
      'signature_form',
    ],
    [
      'a manifest as what is signed',
      inSigned((text) => text.replace('</ds:Signature>', '<ds:Object><ds:Manifest/></ds:Object></ds:Signature>')),
      'signature_form',
    ],
    [
      'a list of prefixes that changes the signed bytes',
      inSigned((text) =>
        text.replace(
          `Transform Algorithm="${exclusiveC14n}"/>`,
          `Transform Algorithm="${exclusiveC14n}"><ec:InclusiveNamespaces xmlns:ec="${exclusiveC14n}" PrefixList="samlp"/></ds:Transform>`,
        ),
      ),
      'signature_invalid',
    ],
    // Other algorithms.
    ...[
      '2001/04/xmldsig-more#rsa-md5',
      '2000/09/xmldsig#dsa-sha1',
      '2000/09/xmldsig#hmac-sha1',
      '2001/04/xmldsig-more#hmac-sha256',
    ].map((algorithm): [string, string, string] => [
      `the algorithm ${algorithm}`,
      inSigned((text) => text.replace(/(SignatureMethod Algorithm=")[^"]+/, `$1${w3}${algorithm}`)),
      'signature_weak',
    ]),
    [
      'a digest with MD5',
      inSigned((text) => text.replace(/(DigestMethod Algorithm=")[^"]+/, `$1${w3}2001/04/xmldsig-more#md5`)),
      'signature_weak',
    ],
    // Keys that the message brings along or points to.
    [
      'the value of another key in KeyInfo',
      inSigned(() =>
        signatureOf(signElement(original, 'Assertion', { key: otherKey })).replace(
          /<ds:KeyInfo>[\s\S]*<\/ds:KeyInfo>/,
          '<ds:KeyInfo><ds:KeyValue><ds:RSAKeyValue><ds:Modulus>AQAB</ds:Modulus><ds:Exponent>AQAB</ds:Exponent></ds:RSAKeyValue></ds:KeyValue></ds:KeyInfo>',
        ),
      ),
      'signature_invalid',
    ],
    [
      'an address of another key in KeyInfo',
      inSigned(() =>
        signatureOf(signElement(original, 'Assertion', { key: otherKey })).replace(
          /<ds:KeyInfo>[\s\S]*<\/ds:KeyInfo>/,
          '<ds:KeyInfo><ds:RetrievalMethod URI="http://127.0.0.1/key"/></ds:KeyInfo>',
        ),
      ),
      'signature_invalid',
    ],
    [
      'an encrypted NameID',
      honest({ change: (xml) => xml.replace(/<saml:NameID.*<\/saml:NameID>/, '<saml:EncryptedID/>') }),
      'subject_missing',
    ],
    [
      'a NameID with a carriage return',
      honest({ change: (xml) => xml.replace('>subject-1<', '>subject-1&#13;<') }),
      'subject_missing',
    ],
  ]
  for (const [name, xml, reason] of published) {
    it(`is refused: ${name}`, () => {
      assert.notEqual(xml, signed)
      assert.equal(outcome(xml), reason)
    })
  }

  const subject = 'persistent">subject-1</saml:NameID>'
  const named = (text: string) => signed.replace(subject, `persistent">${text}</saml:NameID>`)
  const deep = (count: number) =>
    signed.replace('<samlp:Status>', `<samlp:Status>${'<x>'.repeat(count)}${'</x>'.repeat(count)}`)
  const texts: [name: string, xml: string, reason: string][] = [
    ['a comment in the NameID', named('admin<!-- -->subject-1'), 'message_forbidden'],
    ["a comment before the NameID's text", named('<!-- -->subject-1'), 'message_forbidden'],
    ["a comment after the NameID's text", named('subject-1<!-- -->'), 'message_forbidden'],
    ['two comments around spaces', named('subject-1 <!-- --> <!-- -->'), 'message_forbidden'],
    [
      'a comment with a double hyphen',
      signed.replace('<samlp:Status>', '<!-- a -- b --><samlp:Status>'),
      'message_malformed',
    ],
    ['a CDATA section', named('<![CDATA[admin]]>'), 'message_forbidden'],
    ['a processing instruction', named('admin<?x ?>subject-1'), 'message_forbidden'],
    ['a DOCTYPE', `<!DOCTYPE x>${signed}`, 'message_forbidden'],
    [
      'an external entity',
      `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${named('&e;')}`,
      'message_forbidden',
    ],
    [
      'many entities within entities',
      `<!DOCTYPE x [<!ENTITY a "${'&b;'.repeat(10)}"><!ENTITY b "b">]>${named('&a;')}`,
      'message_forbidden',
    ],
    ['an unknown entity', named('&admin;'), 'message_forbidden'],
    ['a NUL', named('admin&#0;'), 'message_malformed'],
    ['a NUL in plain', named('admin\0'), 'message_malformed'],
    ['a lone surrogate', named('&#xD800;'), 'message_malformed'],
    ['a stylesheet', `<?xml-stylesheet href="x"?>${signed}`, 'message_forbidden'],
    ['another encoding', `<?xml version="1.0" encoding="utf-16"?>${signed}`, 'message_forbidden'],
    [
      'a redefined xml prefix',
      signed.replace('<samlp:Status>', '<samlp:Status xmlns:xml="urn:x">'),
      'message_forbidden',
    ],
    [
      'a redefined xmlns prefix',
      signed.replace('<samlp:Status>', '<samlp:Status xmlns:xmlns="urn:x">'),
      'message_forbidden',
    ],
    [
      'another prefix for xml',
      signed.replace('<samlp:Status>', '<samlp:Status xmlns:y="http://www.w3.org/XML/1998/namespace">'),
      'message_forbidden',
    ],
    [
      'a relative namespace, which canonicalizes to nothing',
      signed.replace('<samlp:Status>', '<samlp:Status xmlns:y="1">'),
      'message_forbidden',
    ],
    ['an undeclared prefix', signed.replace('<samlp:Status>', '<samlp:Status><y:x/>'), 'message_malformed'],
    ['a second root', `${signed}<x/>`, 'message_malformed'],
    ['text after the root', `${signed}x`, 'message_malformed'],
    ['a missing end', signed.slice(0, -3), 'message_malformed'],
    ['tags that cross', signed.replace('<samlp:Status>', '<a><b></a></b><samlp:Status>'), 'message_malformed'],
    ['an attribute twice', signed.replace('<samlp:Status>', '<samlp:Status a="1" a="2">'), 'message_malformed'],
    ['65 levels', deep(65), 'message_too_large'],
    ['5,001 elements', signed.replace('<samlp:Status>', `<samlp:Status>${'<x/>'.repeat(5001)}`), 'message_too_large'],
    [
      'more than 256 KiB',
      signed.replace('<samlp:Status>', `<samlp:Status>${' '.repeat(262_144)}`),
      'message_too_large',
    ],
    ['another root', signed.replaceAll('samlp:Response', 'samlp:LogoutResponse'), 'message_malformed'],
    ['a root in another namespace', signed.replace('SAML:2.0:protocol"', 'SAML:1.1:protocol"'), 'message_malformed'],
    ['nothing', '', 'message_malformed'],
  ]
  for (const [name, xml, reason] of texts) {
    it(`is refused before it is parsed: ${name}`, () => assert.equal(outcome(xml), reason))
  }

  it('is refused if it is not base64 of UTF-8', () => {
    for (const encoded of [
      '%%%',
      Buffer.from([0xc3, 0x28]).toString('base64'),
      Buffer.from(signed, 'utf16le').toString('base64'),
    ]) {
      assert.throws(() => readResponse(encoded, reading), { reason: 'message_malformed' })
    }
  })

  const minute = 60_000
  const at = (ms: number) => new Date(now + ms).toISOString()
  const changed = (from: string | RegExp, to: string) => honest({ change: (xml) => xml.replace(from, to) })
  const changedResponse = (from: string | RegExp, to: string) =>
    honest({ changeResponse: (xml) => xml.replace(from, to) })
  const confirmation = /<saml:SubjectConfirmation [\s\S]*<\/saml:SubjectConfirmation>/
  const statement = /<saml:AuthnStatement[\s\S]*<\/saml:AuthnStatement>/
  const conditions = /<saml:Conditions[\s\S]*<\/saml:Conditions>/
  const restriction =
    '<saml:AudienceRestriction><saml:Audience>https://other.example</saml:Audience></saml:AudienceRestriction>'
  const cbc = { method: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc' }
  const violations: [name: string, xml: string, reason: string, more?: Partial<Reading>][] = [
    [
      'another issuer of the assertion',
      honest({ change: (xml) => xml.replace('idp.example.com/id', 'idp.example.com/other') }),
      'issuer_wrong',
    ],
    ['another issuer of the response', changedResponse('idp.example.com/id', 'evil.example'), 'issuer_wrong'],
    [
      'no issuer of the assertion',
      honest({ sign: 'response', change: (xml) => xml.replace(/<saml:Issuer>.*<\/saml:Issuer>/, '') }),
      'issuer_wrong',
    ],
    [
      'an issuer of another format',
      changed('<saml:Issuer>', '<saml:Issuer Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">'),
      'issuer_wrong',
    ],
    [
      'another Destination',
      changedResponse(`Destination="${acsUrl}"`, 'Destination="https://app.example.com/auth/connections/2/acs"'),
      'destination_wrong',
    ],
    [
      'a Destination that only begins like ours',
      changedResponse(`Destination="${acsUrl}"`, `Destination="${acsUrl}/more"`),
      'destination_wrong',
    ],
    [
      'a signed response without Destination',
      honest({ sign: 'response', changeResponse: (xml) => xml.replace(/ Destination="[^"]*"/, '') }),
      'destination_wrong',
    ],
    ['another Recipient', changed(`Recipient="${acsUrl}"`, 'Recipient="https://evil.example/acs"'), 'recipient_wrong'],
    ['no Recipient', changed(/ Recipient="[^"]*"/, ''), 'recipient_wrong'],
    ['holder of key', changed('cm:bearer', 'cm:holder-of-key'), 'confirmation_missing'],
    ['sender vouches', changed('cm:bearer', 'cm:sender-vouches'), 'confirmation_missing'],
    ['no confirmation', changed(confirmation, ''), 'confirmation_missing'],
    ['no confirmation data', changed(/<saml:SubjectConfirmationData[^>]*>/, ''), 'confirmation_missing'],
    [
      'a confirmation without an end',
      changed(/(SubjectConfirmationData[^>]*) NotOnOrAfter="[^"]*"/, '$1'),
      'message_malformed',
    ],
    [
      'a confirmation with a beginning',
      changed('SubjectConfirmationData', `SubjectConfirmationData NotBefore="${at(-minute)}"`),
      'confirmation_missing',
    ],
    [
      'a confirmation that ended',
      changed(/(SubjectConfirmationData[^>]*) NotOnOrAfter="[^"]*"/, `$1 NotOnOrAfter="${at(-minute)}"`),
      'confirmation_expired',
    ],
    [
      'another request in the confirmation',
      changed('InResponseTo="_request"', 'InResponseTo="_other"'),
      'in_response_to_wrong',
    ],
    ['no request in the confirmation', changed(' InResponseTo="_request"', ''), 'in_response_to_wrong'],
    [
      'another request in the response',
      changedResponse('InResponseTo="_request"', 'InResponseTo="_other"'),
      'in_response_to_wrong',
    ],
    ['no request at all', honest({ requestId: undefined }), 'in_response_to_wrong'],
    ['a request, although the provider started', honest(), 'in_response_to_wrong', { requestId: undefined }],
    ['another audience', honest({ audience: 'https://other.example' }), 'audience_wrong'],
    ['no audience', changed(/<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, ''), 'audience_wrong'],
    [
      'a second restriction without us',
      changed('</saml:Conditions>', `${restriction}</saml:Conditions>`),
      'audience_wrong',
    ],
    ['no conditions', changed(conditions, ''), 'conditions_missing'],
    ['conditions twice', changed(conditions, '$&$&'), 'conditions_missing'],
    [
      'an unknown condition',
      changed('</saml:Conditions>', '<saml:Condition xmlns:x="urn:x"/></saml:Conditions>'),
      'conditions_missing',
    ],
    [
      'conditions that ended',
      changed(/(<saml:Conditions[^>]*) NotOnOrAfter="[^"]*"/, `$1 NotOnOrAfter="${at(-minute)}"`),
      'expired',
    ],
    [
      'conditions that have not begun',
      changed(/ NotBefore="[^"]*"/, ` NotBefore="${at(minute + 1)}"`),
      'not_yet_valid',
    ],
    ['issued in the future', changed(/IssueInstant="[^"]*"/, `IssueInstant="${at(minute + 1)}"`), 'not_yet_valid'],
    ['authenticated in the future', honest({ authnInstant: at(minute + 1) }), 'not_yet_valid'],
    ['an instant that is none', changed(/AuthnInstant="[^"]*"/, 'AuthnInstant="yesterday"'), 'message_malformed'],
    ['a local instant', changed(/AuthnInstant="[^"]*"/, 'AuthnInstant="2026-11-24T12:00:00"'), 'message_malformed'],
    [
      'an ended session',
      changed('AuthnInstant', `SessionNotOnOrAfter="${at(-minute)}" AuthnInstant`),
      'session_expired',
    ],
    ['no authentication', changed(statement, ''), 'authentication_missing'],
    ['two authentications', changed(statement, '$&$&'), 'authentication_missing'],
    [
      'no context of the authentication',
      changed(/<saml:AuthnContext>.*<\/saml:AuthnContext>/, ''),
      'authentication_missing',
    ],
    ['no subject', changed(/<saml:Subject>[\s\S]*<\/saml:Subject>/, ''), 'subject_missing'],
    ['no NameID', changed(/<saml:NameID.*<\/saml:NameID>/, ''), 'subject_missing'],
    ['two NameIDs', changed(/<saml:NameID.*<\/saml:NameID>/, '$&$&'), 'subject_missing'],
    ['an empty NameID', changed('>subject-1<', '><'), 'subject_missing'],
    ['a NameID with an element', changed('>subject-1<', '><x/>subject-1<'), 'subject_missing'],
    ['a NameID with an unusual space', changed('>subject-1<', '>\u00a0subject-1<'), 'subject_missing'],
    ['a NameID of spaces', changed('>subject-1<', '> \n <'), 'subject_missing'],
    [
      'two NameIDs, although an attribute is the subject',
      changed(/<saml:NameID.*<\/saml:NameID>/, '$&$&'),
      'subject_missing',
      { needsNameId: false },
    ],
    ['a transient NameID', changed('format:persistent', 'format:transient'), 'subject_transient'],
    ['no ID', honest({ sign: 'response', change: (xml) => xml.replace(/ ID="[^"]*"/, '') }), 'message_malformed'],
    ['another version', changed('Version="2.0"', 'Version="1.1"'), 'version_wrong'],
    [
      'no assertion',
      respond({ ...parts, sign: 'none' }, { key }).replace(/<saml:Assertion[\s\S]*<\/saml:Assertion>/, ''),
      'assertion_count',
    ],
    ['a failure', changedResponse('status:Success', 'status:Responder'), 'provider_refused'],
    ['no status', changedResponse(/<samlp:Status>.*<\/samlp:Status>/, ''), 'message_malformed'],
    ['encrypted with CBC', honest({ encryptTo: ours.certificate, encryption: cbc }), 'encryption_refused'],
    [
      'a key wrapped with PKCS #1 v1.5',
      honest({ encryptTo: ours.certificate, encryption: { wrapping: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5' } }),
      'encryption_refused',
    ],
    ['encrypted to another key', honest({ encryptTo: otherKey.certificate }), 'decryption_failed'],
    [
      'an encrypted assertion that nobody signed',
      honest({ encryptTo: ours.certificate, sign: 'none' }),
      'signature_missing',
    ],
    [
      'encrypted, and we have no key',
      honest({ encryptTo: ours.certificate }),
      'encryption_refused',
      { decryptionKey: undefined },
    ],
  ]
  for (const [name, xml, reason, more] of violations) {
    it(`is refused: ${name}`, () => assert.equal(outcome(xml, more), reason))
  }

  it('is refused if a byte of the ciphertext differs', () => {
    const xml = honest({ encryptTo: ours.certificate })
    const flipped = xml.replace(
      /(<xenc:CipherValue>[^<]{40})(.)([^<]*<\/xenc:CipherValue><\/xenc:CipherData><\/xenc:EncryptedData>)/,
      (_, before, one, after) => `${before}${one === 'A' ? 'B' : 'A'}${after}`,
    )
    assert.notEqual(flipped, xml)
    assert.equal(outcome(flipped), 'decryption_failed')
  })

  it('is accepted up to a minute off, as clocks differ', () => {
    const cases: Partial<Parts>[] = [
      {
        change: (xml) =>
          xml.replace(/(SubjectConfirmationData[^>]*) NotOnOrAfter="[^"]*"/, `$1 NotOnOrAfter="${at(-minute + 1)}"`),
      },
      { change: (xml) => xml.replace(/ NotBefore="[^"]*"/, ` NotBefore="${at(minute)}"`) },
      { authnInstant: at(minute) },
      { change: (xml) => xml.replace('AuthnInstant', `SessionNotOnOrAfter="${at(-minute + 1)}" AuthnInstant`) },
    ]
    for (const one of cases) assert.equal(outcome(honest(one)), 'read subject-1')
  })

  it('names the same address with the host in other letters, or with the default port', () => {
    const arriving = (written: string) => ({
      change: (xml: string) => xml.replace(`Recipient="${acsUrl}"`, `Recipient="${written}"`),
      changeResponse: (xml: string) => xml.replace(`Destination="${acsUrl}"`, `Destination="${written}"`),
    })
    const path = '/auth/connections/1/acs'
    for (const same of [
      `https://APP.Example.com${path}`,
      `HTTPS://app.example.com${path}`,
      `https://app.example.com:443${path}`,
      `https://App.example.com:443${path}`,
    ]) {
      assert.equal(outcome(honest(arriving(same))), 'read subject-1', same)
    }
    for (const other of [
      `http://app.example.com${path}`,
      `https://app.example.com:80${path}`,
      `https://app.example.com:8443${path}`,
      `https://app.example.com:0443${path}`,
      `https://app.example.com.${path}`,
      `https://user@app.example.com${path}`,
      `https://app.example.com${path}/`,
      `https://app.example.com${path}?x`,
      `https://app.example.com${path}#x`,
      'https://app.example.com/auth/connections/2/../1/acs',
      'https://app.example.com/auth/connections/1/ACS',
      'https://app.example.com/auth/connections/%31/acs',
      `https:\\app.example.com${path}`,
      ` https://app.example.com${path}`,
      `https://app.example.com@evil.example${path}`,
      `https://evil.example/https://app.example.com${path}`,
    ]) {
      const { change, changeResponse } = arriving(other)
      assert.equal(outcome(honest({ change })), 'recipient_wrong', other)
      assert.equal(outcome(honest({ changeResponse })), 'destination_wrong', other)
    }
    const onPort = 'https://app.example.com:8443/acs'
    const onOtherPort = honest({ acsUrl: 'https://APP.example.com:8443/acs' })
    assert.equal(outcome(onOtherPort, { acsUrl: onPort }), 'read subject-1')
    assert.equal(outcome(honest({ acsUrl: 'https://app.example.com/acs' }), { acsUrl: onPort }), 'destination_wrong')
  })

  it('may have white space around the NameID, which is no part of it', () => {
    for (const text of [
      ' subject-1',
      'subject-1\n',
      '\n      subject-1\n    ',
      '\tsubject-1 ',
      '\r\n  subject-1\r\n',
    ]) {
      assert.equal(outcome(honest({ change: (xml) => xml.replace('>subject-1<', `>${text}<`) })), 'read subject-1')
    }
  })

  it('may lack a NameID, or have a transient one, where an attribute is the subject', () => {
    const withoutNameId = { needsNameId: false }
    const nameId = /<saml:NameID.*<\/saml:NameID>/
    const transient = honest({ change: (xml) => xml.replace('format:persistent', 'format:transient') })
    assert.equal(outcome(transient, withoutNameId), 'read subject-1')
    for (const change of [
      (xml: string) => xml.replace(nameId, ''),
      (xml: string) => xml.replace(nameId, '<saml:EncryptedID/>'),
      (xml: string) => xml.replace('>subject-1<', '><'),
    ]) {
      assert.equal(outcome(honest({ change }), withoutNameId), 'read undefined')
      assert.equal(outcome(honest({ change })), 'subject_missing')
    }
    assert.match(refusalOf(transient).message, /set subject_claim/)
  })

  it('that is encrypted with CBC is refused, and the failure names the setting', () => {
    const method = 'http://www.w3.org/2001/04/xmlenc#aes256-cbc'
    assert.match(
      refusalOf(honest({ encryptTo: ours.certificate, encryption: { method } })).message,
      /offer_encryption_key/,
    )
  })

  it('is accepted if one of several bearer confirmations holds', () => {
    const other = '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:holder-of-key"/>'
    assert.equal(outcome(changed('<saml:SubjectConfirmation ', `${other}<saml:SubjectConfirmation `)), 'read subject-1')
  })

  it('may be unsolicited where the caller expects no request', () => {
    assert.equal(outcome(honest({ requestId: undefined }), { requestId: undefined }), 'read subject-1')
  })

  it('of 50,000 nested elements is refused within milliseconds', () => {
    const bomb = encode(responseXml(parts, `${'<a>'.repeat(50_000).slice(0, 250_000)}`))
    const nested = encode(`${'<a>'.repeat(50_000)}`.slice(0, 262_000))
    const longTag = encode(`<a${' b'.repeat(120_000)}>`)
    for (const encoded of [
      bomb,
      nested,
      longTag,
      encode(`<a ${'b'.repeat(200_000)}`),
      encode('<'.repeat(200_000)),
      encode(`<a>${'&#x41;'.repeat(40_000)}</a>`),
    ]) {
      assertCheap(250, () => assert.throws(() => readResponse(encoded, reading), SamlRefusal))
    }
  })
})

describe('a certificate', () => {
  it('is refused with a key that is too short, or if it is none', () => {
    assert.equal(readCertificate(signingKey(1024).pem), 'certificate_weak')
    assert.equal(
      readCertificate('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'),
      'certificate_malformed',
    )
    assert.ok(readCertificate(key.pem) instanceof X509Certificate)
    assert.ok(readCertificate(key.pem.replaceAll(/-----[A-Z ]+-----|\n/g, '')) instanceof X509Certificate)
  })
})
