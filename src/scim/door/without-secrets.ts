/** Removes passwords from rejected requests, in whatever form a client writes them: such requests are not as SCIM has them. */
import { unescape as decode } from 'node:querystring'
import { isArray, isObject, type Json } from '../protocol/json.ts'

const words = 'pass(?:word|wort|phrase|code)|passwd|pwd|kennwort|secret|credential'
const secretName = new RegExp(words, 'i')
/** A path of an attribute and nothing else, such as `urn:…:User:password`. */
const nameAlone = new RegExp(`^[\\w:.$-]*(?:${words})\\w*$`, 'i')
const upToName = new RegExp(`^.*?(?:${words})\\w*`, 'is')
/** Members that say what an object is about, and hold no value. */
const about = /^(?:op|operation|path|name|attribute|key|type|schemas|method|bulkid|id)$/i
const removed = '[removed]'

/**
 * Removes the values of members that are named as passwords, the other values of an object that names one as a text
 * (`{"Path": "password", "Value": …}`, `{"name": "password", "value": …}`), and what follows the name in a text, such as a filter.
 */
export function withoutSecrets(value: Json): Json {
  if (typeof value === 'string') return textWithoutSecrets(value)
  if (isArray(value)) {
    const isPair = value.some((one) => typeof one === 'string' && nameAlone.test(one))
    return value.map((one) => (isPair && !isObject(one) && !isArray(one) ? hidden(one) : withoutSecrets(one)))
  }
  if (!isObject(value)) return value
  const members = Object.entries(value) as [string, Json][]
  const named = members.filter(
    ([name, one]) => typeof one === 'string' && (about.test(name) ? secretName : nameAlone).test(one),
  )
  return Object.fromEntries(
    members.map(([name, one]) => {
      const isNamed = named.length > 0 && !about.test(name) && !named.some(([own]) => own === name)
      return [name, isNamed || secretName.test(name) ? removed : withoutSecrets(one)]
    }),
  )
}

function hidden(value: Json): Json {
  return typeof value === 'string' && nameAlone.test(value) ? value : removed
}

function textWithoutSecrets(text: string): string {
  const found = upToName.exec(text)?.[0]
  return found === undefined || found === text ? text : `${found} ${removed}`
}

/** The same for an address: a parameter that names a password, or is a filter by one, loses its value. */
export function pathWithoutSecrets(path: string): string {
  const [place = '', ...query] = path.split(/[?&]/)
  const parameters = query.map((one) => {
    if (!secretName.test(decode(one))) return one
    const [name = ''] = one.split('=', 1)
    return `${textWithoutSecrets(decode(name))}=${removed}`
  })
  const cleanPlace = secretName.test(decode(place)) ? textWithoutSecrets(decode(place)) : place
  return query.length === 0 ? cleanPlace : `${cleanPlace}?${parameters.join('&')}`
}
