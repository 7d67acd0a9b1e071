/** The one reader of SAML messages: namespace-aware, and only for what passed the gate. */
import { DOMParser, type XmlElement } from '@xmldom/xmldom'
import { SamlRefusal } from './refusal.ts'
import { scan } from './scan.ts'

const namespaces = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  metadata: 'urn:oasis:names:tc:SAML:2.0:metadata',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  exclusive: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  encryption: 'http://www.w3.org/2001/04/xmlenc#',
  encryption11: 'http://www.w3.org/2009/xmlenc11#',
} as const

export type Space = keyof typeof namespaces

/** @throws SamlRefusal */
export function parseXml(text: string): XmlElement {
  scan(text)
  const refuse = (message: string): never => {
    throw new SamlRefusal('message_malformed', `The message is not well-formed: ${message.split('\n')[0]}`)
  }
  const parser = new DOMParser({ errorHandler: { warning: refuse, error: refuse, fatalError: refuse } })
  const root = parser.parseFromString(text, 'text/xml').documentElement
  if (!root) throw new SamlRefusal('message_malformed', 'The message has no root element.')
  return root
}

export function isNamed(element: XmlElement, space: Space, local: string): boolean {
  return element.namespaceURI === namespaces[space] && element.localName === local
}

export function elementsIn(parent: XmlElement): XmlElement[] {
  const found: XmlElement[] = []
  for (let node = parent.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === 1) found.push(node as XmlElement)
  }
  return found
}

export function children(parent: XmlElement, space: Space, local: string): XmlElement[] {
  return elementsIn(parent).filter((one) => isNamed(one, space, local))
}

/** The element and everything below it, in document order. */
export function* everyElement(root: XmlElement): Generator<XmlElement> {
  yield root
  for (const child of elementsIn(root)) yield* everyElement(child)
}

/** Undefined if there is none. xmldom returns an empty text instead. */
export function attributeOf(element: XmlElement, name: string): string | undefined {
  return element.hasAttribute(name) ? (element.getAttribute(name) ?? '') : undefined
}

/** The text of an element; undefined if it has elements in it. */
export function textIn(element: XmlElement): string | undefined {
  return elementsIn(element).length > 0 ? undefined : (element.textContent ?? '')
}
