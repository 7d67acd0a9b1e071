/** `rollbook plan --detailed-exitcode` exits with 2 if there are changes: the code that wrong usage has elsewhere. */
let found = false

export function noteChanges(): void {
  found = true
}

export function foundChanges(): boolean {
  return found
}
