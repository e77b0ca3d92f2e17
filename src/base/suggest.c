/* Did you mean: the name nearest to a wrong one. */
#include "base/suggest.h"

#include <stdint.h>

enum { NAME_MAX_BYTES = 64 };

/* Bytes whose difference nobody means become the same. */
static unsigned char folded(char byte)
{
    if (byte >= 'A' && byte <= 'Z') {
        return (unsigned char)(byte - 'A' + 'a');
    }
    return byte == '_' ? '-' : (unsigned char)byte;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Damerau-Levenshtein, unrestricted: insert, delete, change, swap of neighbours, where a swapped pair may be edited
 * again (Lowrance and Wagner).  Row and column 0 hold a bound larger than any distance. */
static size_t distance(struct str a, struct str b)
{
    size_t cost[NAME_MAX_BYTES + 2][NAME_MAX_BYTES + 2];
    unsigned char last_row[256] = {0}; /* where a byte was last seen in a */
    for (size_t i = 0; i <= a.len; i++) {
        cost[i + 1][0] = a.len + b.len;
        cost[i + 1][1] = i;
    }
    for (size_t j = 0; j <= b.len; j++) {
        cost[0][j + 1] = a.len + b.len;
        cost[1][j + 1] = j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        size_t last_column = 0; /* where b last equalled this byte of a */
        for (size_t j = 1; j <= b.len; j++) {
            size_t row = last_row[folded(b.data[j - 1])], column = last_column;
            bool same = folded(a.data[i - 1]) == folded(b.data[j - 1]);
            size_t changed = cost[i][j] + !same;
            size_t moved = least(cost[i + 1][j], cost[i][j + 1]) + 1;
            size_t swapped = cost[row][column] + (i - row - 1) + 1 + (j - column - 1);
            cost[i + 1][j + 1] = least(least(changed, moved), swapped);
            last_column = same ? j : last_column;
        }
        last_row[folded(a.data[i - 1])] = (unsigned char)i;
    }
    return cost[a.len + 1][b.len + 1];
}

void suggest_init(struct suggest *suggest, struct str wanted)
{
    *suggest = (struct suggest){.wanted = wanted, .best_distance = SIZE_MAX};
}

void suggest_offer(struct suggest *suggest, struct str name)
{
    if (name.len > NAME_MAX_BYTES || suggest->wanted.len > NAME_MAX_BYTES) {
        return;
    }
    size_t changes = distance(suggest->wanted, name);
    if (changes <= (name.len + 2) / 3 && changes < suggest->best_distance) {
        suggest->best = name;
        suggest->best_distance = changes;
    }
}
