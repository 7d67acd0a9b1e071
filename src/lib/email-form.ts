// One @ between parts without spaces, controls or the specials of RFC 5322 §3.2.3; whether mail arrives is for a mail to find out.
const emailForm = /^[^\s@()<>[\]:;,"\\\p{C}]+@[^\s@()<>[\]:;,"\\\p{C}.]+(?:\.[^\s@()<>[\]:;,"\\\p{C}.]+)*$/u

export function isEmail(text: string): boolean {
  return emailForm.test(text)
}

/** The key that email addresses are compared by: no case, no compatibility forms. Its own key is itself. */
export function emailKey(email: string): string {
  // Once more: a few Greek letters fall apart when they become small.
  return email.normalize('NFKC').toLowerCase().normalize('NFKC')
}
