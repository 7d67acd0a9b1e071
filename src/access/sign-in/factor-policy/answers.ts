/** The texts of the policy operations in the OpenAPI document. */
export const testDescription = `Reports the effect of a policy on the users who have access now, before you set it as \`ROLLBOOK_SECOND_FACTOR\`: how many have
no second factor, how many would be asked for one, and how many could not sign in. Nothing is changed. Without \`policy\` it tests the policy that is in
force. It reads every user once.`

export const listDescription = `Lists the active users, without those whose end date has passed, for whom the policy in force requires a second factor, now or from \`ROLLBOOK_SECOND_FACTOR_FROM\` on, and who
have none; in the order of their ids. A page reads at most 10,000 users, so it can be short, or empty, and have a next one.`
