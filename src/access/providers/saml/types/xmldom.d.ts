/** The part of @xmldom/xmldom that is used. Its own types bring those of browsers, which would cover Node's everywhere. */
export interface XmlNode {
  readonly nodeType: number
  readonly firstChild: XmlNode | null
  readonly nextSibling: XmlNode | null
  readonly parentNode: XmlNode | null
  readonly textContent: string | null
}

export interface XmlElement extends XmlNode {
  readonly localName: string
  readonly namespaceURI: string | null
  hasAttribute(name: string): boolean
  getAttribute(name: string): string | null
}

type Handler = (message: string) => void

export declare class DOMParser {
  constructor(options: { errorHandler: { warning: Handler; error: Handler; fatalError: Handler } })
  parseFromString(text: string, type: 'text/xml'): { documentElement: XmlElement | null }
}
