/*
 * results: what came out about a history, in the shape of Elle's results, as EDN or JSON.
 *
 *     {:valid? false,
 *      :anomaly-types [:G2-item],
 *      :anomalies {:G2-item [{:type :G2-item, :cycle [OP OP OP], :steps [{:type :rw, …} …], …}]},
 *      :not #{:repeatable-read},
 *      :also-not #{:serializable …}}
 *
 * An OP is the completion of a transaction, with what takes part in the anomaly. :not has the
 * weakest consistency models that do not hold, and :also-not those that imply one of them. Besides
 * what Elle has, an anomaly has the :name and the :explanation of `alibi explain`, and a verdict
 * that is not known has a :reason.
 */
#ifndef ALIBI_CLI_ELLE_RESULTS_H
#define ALIBI_CLI_ELLE_RESULTS_H

#include "run.h"
#include "text.h"

void elle_results(struct text *t, const struct elle_run *r, bool json);

/* Writes results.edn and a page, index.html, into the directory, which is made if it is not there.
 * False: it was complained. */
bool elle_results_write(const struct elle_run *r, const char *directory);

#endif
