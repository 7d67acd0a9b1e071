/** The part of xml-crypto that is used. Its own types bring those of browsers. */
import type { KeyLike } from 'node:crypto'
import type { XmlElement } from '@xmldom/xmldom'

export interface SignatureAlgorithm {
  getAlgorithmName(): string
  getSignature(signedInfo: string, privateKey: KeyLike): string
  verifySignature(material: string, key: KeyLike, signatureValue: string): boolean
}

export interface HashAlgorithm {
  getAlgorithmName(): string
  getHash(xml: string): string
}

export declare class SignedXml {
  constructor(options: { publicCert?: KeyLike; privateKey?: KeyLike; getCertFromKeyInfo?: () => null })
  CanonicalizationAlgorithms: Record<string, unknown>
  HashAlgorithms: Record<string, new () => HashAlgorithm>
  SignatureAlgorithms: Record<string, new () => SignatureAlgorithm>
  signatureAlgorithm: string | undefined
  canonicalizationAlgorithm: string | undefined
  loadSignature(signature: XmlElement): void
  checkSignature(xml: string): boolean
  getSignedReferences(): string[]
  addReference(reference: { xpath: string; transforms: string[]; digestAlgorithm: string }): void
  computeSignature(xml: string, options: { prefix?: string; location?: { reference: string; action: string } }): void
  getSignedXml(): string
}
