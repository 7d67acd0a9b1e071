/** The features of the service that can be off. Nothing in the console then names them. */
import { headText } from './page-names.ts'

/** The kinds of messages, events and actions of each. */
const wordsOf = { access_requests: /^access_/, email_code: /^sign_in_code$/ } as const

export type Feature = keyof typeof wordsOf

export function isOffered(word: string, on: ReadonlySet<string> = featuresOn): boolean {
  return Object.entries(wordsOf).every(([feature, words]) => on.has(feature) || !words.test(word))
}

export function isOn(feature: Feature): boolean {
  return featuresOn.has(feature)
}

const featuresOn: ReadonlySet<string> = new Set(headText('features').split(' '))
